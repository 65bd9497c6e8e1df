// The legend; groups and ranges can be shown, hidden and selected.

import { css } from "./color";
import { button, fill, h } from "./dom";
import { type Column, type Model, showNumber } from "./model";

const MOST_LISTED = 60;

export class Legend {
  readonly element = h("div", { class: "legend" });
  private off = new Set<number>(); // codes of groups that are hidden; 0 is missing
  private window: [number, number] = [0, 1]; // of amounts: the range that is shown

  constructor(private model: Model, private hidden: Uint8Array, private filtered: () => void, private choose: (rows: number[]) => void) {}

  show(column: Column | null): void {
    this.off.clear();
    this.window = [0, 1];
    this.apply(column);
    if (!column) fill(this.element);
    else if (column.kind === "groups") this.showGroups(column);
    else this.showAmounts(column);
  }

  private showGroups(column: Column): void {
    const sizes = new Uint32Array(column.categories.length + 1);
    for (const code of column.codes) sizes[code]++;
    let order = column.categories.map((_, k) => k + 1);
    if (order.length > MOST_LISTED) order = order.sort((a, b) => sizes[b] - sizes[a]).slice(0, MOST_LISTED);
    const rest = column.categories.length - order.length;
    if (sizes[0]) order.push(0);
    const rows = order.map((code) => {
      const name = code ? column.categories[code - 1] : "no value";
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = css(code ? column.colors[code - 1] : this.model.missing);
      const check = h("input", { type: "checkbox", checked: true, change: () => this.toggle(column, code, check.checked) });
      const pick = button("select", `Select the ${sizes[code]} samples of ${name}`, () => this.choose(rowsWhere(column.codes, code)), { class: "quiet" });
      return h("li", {}, h("label", {}, check, swatch, h("span", { class: "name" }, name), h("span", { class: "count" }, sizes[code].toLocaleString("en"))), pick);
    });
    fill(this.element, h("ul", { "aria-label": `Groups of ${column.name}` }, ...rows), rest > 0 && h("p", { class: "hint" }, `and ${rest} smaller groups`));
  }

  private toggle(column: Column, code: number, on: boolean): void {
    if (on) this.off.delete(code);
    else this.off.add(code);
    this.apply(column);
  }

  private showAmounts(column: Column): void {
    const [low, high] = column.range;
    const bar = h("canvas", { class: "bar", width: 256, height: 1, "aria-hidden": "true" });
    const image = new ImageData(256, 1);
    const map = this.model.colormaps[column.kind === "cyclic" ? "cyclic" : "amounts"];
    for (let c = 0; c < 256; c++) image.data.set([map[3 * c], map[3 * c + 1], map[3 * c + 2], 255], 4 * c);
    bar.getContext("2d")!.putImageData(image, 0, 0);
    const text = h("span", { class: "range" });
    const ends = [0, 1].map((end) =>
      h("input", {
        type: "range", min: 0, max: 1, step: 0.01, value: end, "aria-label": `${end ? "Highest" : "Lowest"} ${column.name} shown`,
        input: () => {
          this.window = [Number(ends[0].value), Number(ends[1].value)];
          say();
          this.apply(column);
        },
      }),
    );
    const say = () => {
      const [a, b] = this.window.map((place) => showNumber(column, low + place * (high - low)));
      text.textContent = `${a} to ${b}`;
    };
    say();
    const pick = button("select", `Select the samples whose ${column.name} is shown`, () => this.choose(rowsWhere(this.hidden, 0)), { class: "quiet" });
    fill(this.element, bar, ...ends, h("p", {}, text, " ", pick));
  }

  private apply(column: Column | null): void {
    const { hidden, off } = this;
    hidden.fill(0);
    if (column?.kind === "groups" && off.size) for (let i = 0; i < hidden.length; i++) hidden[i] = off.has(column.codes[i]) ? 1 : 0;
    else if (column && column.numbers.length && (this.window[0] > 0 || this.window[1] < 1)) {
      const [low, high] = column.range, span = high - low;
      const a = low + this.window[0] * span - 1e-6 * Math.abs(span), b = low + this.window[1] * span + 1e-6 * Math.abs(span);
      for (let i = 0; i < hidden.length; i++) hidden[i] = column.numbers[i] >= a && column.numbers[i] <= b ? 0 : 1;
    }
    this.filtered();
  }
}

function rowsWhere(values: ArrayLike<number>, wanted: number): number[] {
  const rows = [];
  for (let i = 0; i < values.length; i++) if (values[i] === wanted) rows.push(i);
  return rows;
}
