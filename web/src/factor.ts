// "I know this; show me something else": columns, selections and maps to be factored out.

import { button, fill, h } from "./dom";
import type { Factored, Model } from "./model";
import { bits, type Selection } from "./selection";

export class FactorPanel {
  readonly element = h("div", { class: "factor" });
  wanted: Factored[] = [];
  private list = h("ul", { "aria-label": "To be factored out" });
  private column = h("select", { "aria-label": "Column to factor out" });
  private map = h("select", { "aria-label": "Map to factor out" });
  private draw: HTMLButtonElement;
  private addSelection: HTMLButtonElement;

  constructor(private model: Model, private selection: Selection, start: (wanted: Factored[]) => void) {
    this.draw = button("Draw the map without these", "Draw a new map from which these are factored out (d)", () => start(this.wanted), { class: "main", name: "draw" });
    this.addSelection = button("Factor out the selection", "What the selection has in common is known: remove it (f)", () => this.takeSelection(), { name: "factor-selection" });
    const addColumn = button("Factor out", "Remove what this column tells", () => this.takeColumn(this.column.value), { name: "factor-column" });
    const addMap = button("Factor out", "Show something other than this map", () => this.takeMap(this.map.value), { name: "factor-map" });
    selection.listen(() => this.settle());
    fill(this.element, this.addSelection, h("div", { class: "add" }, this.column, addColumn), h("div", { class: "add" }, this.map, addMap), this.list, this.draw);
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

  // Begin from what a map is without already: the next question is asked on top of it.
  begin(factored: Factored[]): void {
    this.wanted = factored.map((part) => ({ ...part }));
    this.settle();
  }

  take(wanted: Factored): void {
    this.wanted = [...this.wanted.filter((w) => w.name !== wanted.name), wanted];
    this.settle();
  }

  takeColumn(name: string): void {
    if (name) this.take({ name, strength: 1, from: "column", what: name });
  }

  takeMap(key: string): void {
    const map = this.model.maps.get(key);
    if (map) this.take({ name: `map: ${map.name}`, strength: 1, from: "map", what: key });
  }

  takeSelection(): void {
    if (!this.selection.size) return;
    const names = new Set([...this.model.maps.values(), { factored: this.wanted }].flatMap((map) => map.factored.map((part) => part.name)));
    let count = 1;
    while (names.has(`selection ${count}`)) count++;
    this.take({ name: `selection ${count}`, strength: 1, from: "selection", what: bits(this.selection.rows, this.selection.n) });
  }

  private settle(): void {
    this.addSelection.disabled = !this.selection.size || this.selection.size === this.selection.n;
    this.draw.disabled = !this.wanted.length;
    fill(this.list, ...this.wanted.map((wanted) => this.row(wanted)));
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
      this.settle();
    }, { class: "quiet" });
    return h("li", {}, h("span", { class: "name" }, wanted.name), strength, words, remove);
  }
}
