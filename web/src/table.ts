// The selection -> its rows as a table, and its columns compared with all others.

import { button, fill, h, share } from "./dom";
import { type Column, idOf, type Model, show, showNumber } from "./model";
import type { Selection } from "./selection";

const PAGE = 25, MOST_COLUMNS = 8;
const MOST_SORTED = 100_000; // of more values, every so many tell the middle

// The rows of the selection, a page at a time.
export class Table {
  readonly element = h("div", { class: "rows" });
  private page = 0;

  constructor(private model: Model, private selection: Selection) {
    selection.listen(() => {
      this.page = 0;
      this.show();
    });
  }

  show(): void {
    const { model, selection } = this;
    const pages = Math.max(1, Math.ceil(selection.size / PAGE));
    const columns = model.columns.slice(0, MOST_COLUMNS);
    const rows = [...selection.rows.subarray(this.page * PAGE, (this.page + 1) * PAGE)];
    const head = h("tr", {}, h("th", { scope: "col" }, "sample"), ...columns.map((c) => h("th", { scope: "col" }, c.name)));
    const body = rows.map((i) => h("tr", {}, h("th", { scope: "row" }, idOf(model, i)), ...columns.map((c) => h("td", {}, show(c, i)))));
    const turn = (by: number) => () => {
      this.page = Math.min(pages - 1, Math.max(0, this.page + by));
      this.show();
    };
    fill(
      this.element,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Selected samples" }, h("table", {}, h("caption", {}, `${selection.size.toLocaleString("en")} selected samples`), h("thead", {}, head), h("tbody", {}, ...body))),
      pages > 1 && h("p", {}, button("‹", "Previous page", turn(-1)), ` page ${this.page + 1} of ${pages} `, button("›", "Next page", turn(1))),
    );
  }
}

export interface Holds {
  column: string;
  text: string;
  excess: number;
}

// Summarise each column in the selection: the group that stands out most, or the median.
export function holds(column: Column, selection: Selection): Holds | null {
  const inner = selection.size, outer = selection.n - inner;
  if (!inner || column.kind === "text") return null;
  if (column.kind === "groups") {
    const counts = [new Uint32Array(column.categories.length + 1), new Uint32Array(column.categories.length + 1)];
    for (let i = 0; i < selection.n; i++) counts[selection.chosen[i]][column.codes[i]]++;
    let best = -1, most = -2;
    for (let code = 1; code <= column.categories.length; code++) {
      const excess = counts[1][code] / inner - (outer ? counts[0][code] / outer : 0);
      if (counts[1][code] && excess > most) [best, most] = [code, excess];
    }
    if (best < 0) return null;
    const rest = outer ? ` (others ${share(counts[0][best] / outer)})` : "";
    return { column: column.name, text: `${share(counts[1][best] / inner)} ${column.categories[best - 1]}${rest}`, excess: most };
  }
  const middle = (chosen: number) => {
    const values = [];
    for (let i = 0; i < selection.n; i++) if (selection.chosen[i] === chosen && !Number.isNaN(column.numbers[i])) values.push(column.numbers[i]);
    return quantiles(values);
  };
  const [low, mid, high] = middle(1), [, otherMid] = middle(0);
  if (Number.isNaN(mid)) return null;
  const spread = (column.range[1] - column.range[0]) || 1;
  const rest = Number.isNaN(otherMid) ? "" : ` (others ${showNumber(column, otherMid)})`;
  return {
    column: column.name,
    text: `${showNumber(column, mid)}, half between ${showNumber(column, low)} and ${showNumber(column, high)}${rest}`,
    excess: Number.isNaN(otherMid) ? 0 : Math.abs(mid - otherMid) / spread,
  };
}

function quantiles(values: number[]): [number, number, number] {
  if (!values.length) return [NaN, NaN, NaN];
  const step = Math.ceil(values.length / MOST_SORTED);
  const sorted = Float32Array.from(step > 1 ? values.filter((_, k) => k % step === 0) : values).sort();
  const at = (q: number) => sorted[Math.round(q * (sorted.length - 1))];
  return [at(0.25), at(0.5), at(0.75)];
}
