// "I know this; show me something else": the lists of what to factor out and what to keep.

import { button, fill, h } from "./dom";
import type { Link } from "./link";
import type { Factored, Kept, Model } from "./model";
import { bits, type Selection } from "./selection";

export class FactorPanel {
  readonly element = h("div", { class: "factor" });
  wanted: Factored[] = [];
  keep: Kept[] = [];
  private list = h("ul", { class: "out", "aria-label": "To be factored out" });
  private kept = h("ul", { class: "keep", "aria-label": "To be kept" });
  private together = h("div", { class: "together", role: "note" });
  private column = h("select", { "aria-label": "Column to factor out or to keep" });
  private map = h("select", { "aria-label": "Map to factor out" });
  private draw: HTMLButtonElement;
  private onSelection: HTMLButtonElement[];
  private keepColumn: HTMLButtonElement;
  private soon = 0;

  constructor(private model: Model, private selection: Selection, private link: Link, start: (wanted: Factored[], keep: Kept[]) => void) {
    this.draw = button("Draw the map without these", "Draw a new map from which these are factored out (d)", () => start(this.wanted, this.keep), { class: "main", name: "draw" });
    this.onSelection = [
      button("Factor out the selection", "What the selection has in common is known: remove it (f)", () => this.takeSelection(), { name: "factor-selection" }),
      button("Keep it", "Keep what sets the selection apart: the rest is removed within it and among the others (e)", () => this.keepSelection(), { name: "keep-selection" }),
    ];
    const addColumn = button("Factor out", "Remove what this column tells", () => this.takeColumn(this.column.value), { name: "factor-column" });
    this.keepColumn = button("Keep", "Keep the groups of this column: the rest is removed within each group", () => this.keepGroups(this.column.value), { name: "keep-column" });
    const addMap = button("Factor out", "Show something other than this map", () => this.takeMap(this.map.value), { name: "factor-map" });
    this.column.addEventListener("change", () => this.settle());
    selection.listen(() => this.settle());
    fill(this.element, h("div", { class: "add" }, ...this.onSelection), h("div", { class: "add" }, this.column, addColumn, this.keepColumn), h("div", { class: "add" }, this.map, addMap), this.list, this.kept, this.together, this.draw);
    this.refresh();
  }

  refresh(): void {
    const names = this.model.columns.filter((c) => c.kind !== "text" && !c.feature).map((c) => c.name);
    const features = this.model.columns.filter((c) => c.feature).map((c) => c.name);
    const chosen = this.column.value;
    fill(this.column, ...[...names, ...features].map((name) => h("option", { value: name }, name)));
    if (chosen) this.column.value = chosen;
    fill(this.map, ...[...this.model.maps.values()].map((map) => h("option", { value: map.key }, map.name)));
    this.settle();
  }

  // Start from what was factored out of a map already: the next request adds to it.
  begin(factored: Factored[], keep: Kept[]): void {
    this.wanted = factored.map((part) => ({ ...part }));
    this.keep = [...keep];
    this.changed();
  }

  // What is factored out cannot be kept, and vice versa.
  take(wanted: Factored): void {
    this.keep = this.keep.filter((k) => k.name !== wanted.name);
    this.wanted = [...this.wanted.filter((w) => w.name !== wanted.name), wanted];
    this.changed();
  }

  takeColumn(name: string): void {
    if (name) this.take({ name, strength: 1, from: "column", what: name });
  }

  takeMap(key: string): void {
    const map = this.model.maps.get(key);
    if (map) this.take({ name: `map: ${map.name}`, strength: 1, from: "map", what: key });
  }

  takeSelection(): void {
    const part = this.selected();
    if (part) this.take({ ...part, strength: 1 });
  }

  protect(kept: Kept): void {
    this.wanted = this.wanted.filter((w) => w.name !== kept.name);
    this.keep = [...this.keep.filter((k) => k.name !== kept.name), kept];
    this.changed();
  }

  keepGroups(name: string): void {
    if (name) this.protect({ name, from: "column", what: name });
  }

  keepSelection(): void {
    const part = this.selected();
    if (part) this.protect(part);
  }

  // Name the selection: reuse the name of the same samples, or choose one that is not in use.
  private selected(): Kept | null {
    if (!this.selection.size || this.selection.size === this.selection.n) return null;
    const what = bits(this.selection.rows, this.selection.n);
    const maps = [...this.model.maps.values(), { factored: this.wanted, keep: this.keep }];
    const parts = maps.flatMap((map) => [...map.factored, ...map.keep]);
    const same = parts.find((part) => part.from === "selection" && part.what === what);
    let count = 1;
    while (parts.some((part) => part.name === `selection ${count}`)) count++;
    return { name: same?.name ?? `selection ${count}`, from: "selection", what };
  }

  // Show how strongly the priors and the kept labels are associated, before anything is drawn.
  private changed(): void {
    this.settle();
    clearTimeout(this.soon);
    if (!this.wanted.length || !this.keep.length) return fill(this.together);
    this.soon = window.setTimeout(() => void this.compare(), 100);
  }

  private async compare(): Promise<void> {
    const { wanted, keep } = this;
    let lines: { text: string; strong: boolean }[];
    try {
      lines = (await this.link.ask("together", { priors: wanted, keep })).head.found;
    } catch (error) {
      lines = [{ text: (error as Error).message, strong: true }];
    }
    if (wanted !== this.wanted || keep !== this.keep) return; // the lists have changed since
    fill(this.together, ...lines.map(({ text, strong }) => h("p", { class: strong ? "note" : "hint" }, text)));
  }

  private settle(): void {
    const { selection, model } = this;
    for (const each of this.onSelection) each.disabled = !selection.size || selection.size === selection.n;
    this.keepColumn.disabled = model.columns.find((c) => c.name === this.column.value)?.kind !== "groups";
    this.draw.disabled = !this.wanted.length;
    fill(this.list, ...this.wanted.map((wanted) => this.row(wanted)));
    fill(this.kept, ...this.keep.map((kept) => this.keptRow(kept)));
  }

  private row(wanted: Factored): Element {
    const words = h("output", {}, wanted.strength.toFixed(2));
    const strength = h("input", {
      type: "range", min: 0.05, max: 1, step: 0.05, value: wanted.strength, "aria-label": `Strength of ${wanted.name}`,
      input: () => {
        wanted.strength = Number(strength.value);
        words.textContent = wanted.strength.toFixed(2);
      },
    });
    const remove = button("×", `Do not factor out ${wanted.name}`, () => {
      this.wanted = this.wanted.filter((w) => w !== wanted);
      this.changed();
    }, { class: "quiet" });
    return h("li", {}, h("span", { class: "name" }, wanted.name), strength, words, remove);
  }

  private keptRow(kept: Kept): Element {
    const remove = button("×", `Do not keep ${kept.name}`, () => {
      this.keep = this.keep.filter((k) => k !== kept);
      this.changed();
    }, { class: "quiet" });
    return h("li", {}, h("span", { class: "kept" }, "kept: "), h("span", { class: "name" }, kept.name), remove);
  }
}
