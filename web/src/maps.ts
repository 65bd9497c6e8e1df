// The tree of maps: go back to any, put it left or right, remove it.

import { button, fill, fixed, h } from "./dom";
import type { MapInfo, Model } from "./model";

export interface MapActions {
  left(key: string): void;
  right(key: string): void;
  remove(key: string): void;
  goOn(key: string): void;
}

// The caption of a map: what is left of priors, and what is kept.
export function describe(map: MapInfo): string {
  const parts = Object.entries(map.left).map(([name, value]) => {
    const within = Object.entries(map.within).filter(([, left]) => name in left).map(([kept, left]) => `, within ${kept} ${fixed(left[name])}`);
    return `${name} left ${fixed(value)}${within.join("")}`;
  });
  if (map.kept !== null) parts.push(`kept ${fixed(map.kept)}`);
  if (map.state === "stopped") parts.unshift("stopped before its end");
  return parts.join(" · ");
}

export class MapTree {
  readonly element = h("div", { class: "tree" });

  constructor(private model: Model, private actions: MapActions) {}

  show(left: string, right: string): void {
    const within = new Set(this.model.paths.flatMap((path) => path.maps.slice(1, -1)));
    const shown = [...this.model.maps.values()].filter((map) => !within.has(map.key));
    const branch = (parent: string | null): Element => h("ul", {}, ...shown.filter((m) => m.parent === parent).map((m) => this.row(m, left, right, branch(m.key))));
    fill(this.element, branch(null));
  }

  private row(map: MapInfo, left: string, right: string, below: Element): Element {
    const side = (word: "left" | "right", now: string) =>
      button(word, `Show ${map.name} on the ${word}`, () => this.actions[word](map.key), { "aria-pressed": String(now === map.key), class: "quiet" });
    const remove = this.model.canDraw && map.parent !== null && button("×", `Remove ${map.name} and the maps that came from it`, () => this.actions.remove(map.key), { class: "quiet" });
    const goOn = map.state === "stopped" && button("go on", `Draw on from ${map.name}: a new descent that begins there`, () => this.actions.goOn(map.key), { class: "quiet", name: "go-on" });
    return h("li", {}, h("div", { class: "node" }, h("span", { class: "name" }, map.name), goOn, side("left", left), side("right", right), remove), h("p", { class: "hint" }, describe(map)), map.note && h("p", { class: "note" }, map.note), below);
  }
}
