// The selection in words: what it contains, and what distinguishes it from all others.

import { type Difference, distinguish, type Found } from "./distinct";
import { button, fill, fixed, h } from "./dom";
import type { Link } from "./link";
import type { Model } from "./model";
import { bits, type Selection } from "./selection";
import { holds, Table } from "./table";

const MOST_LINES = 8;

export class Explain {
  readonly element = h("div", { class: "explain" });
  private words = h("ul", { class: "holds", "aria-label": "What the selection holds" });
  private found = h("div", { class: "found" });
  private ask: HTMLButtonElement;
  private soon = 0;
  last: Difference[] = []; // what the last comparison found

  constructor(private model: Model, private selection: Selection, private link: Link, private failed: (error: Error) => void) {
    const table = new Table(model, selection);
    this.ask = button("What distinguishes it?", "Compare all columns of the selection with those of all other samples", () => this.compare(), { name: "distinct" });
    // After the picture: with a million samples the words take longer than the lasso.
    selection.listen(() => {
      clearTimeout(this.soon);
      this.soon = window.setTimeout(() => this.show(), 30);
    });
    fill(this.element, this.words, this.ask, this.found, h("details", { class: "table" }, h("summary", {}, "Rows"), table.element));
    this.show();
  }

  private show(): void {
    const { model, selection } = this;
    fill(this.found);
    this.ask.disabled = !selection.size || selection.size === selection.n;
    const lines = model.columns.map((c) => holds(c, selection)).filter((line) => line !== null);
    lines.sort((a, b) => b.excess - a.excess);
    const items = lines.slice(0, MOST_LINES).map((line) => h("li", {}, h("b", {}, line.column), `: ${line.text}`));
    fill(this.words, ...items);
    this.words.hidden = !items.length;
  }

  // By Python, which has all columns of the data; otherwise by the columns of the page.
  private async compared(): Promise<Found> {
    if (!this.model.canDraw) return distinguish(this.model, this.selection);
    return (await this.link.ask("distinct", { rows: bits(this.selection.rows, this.selection.n) })).head;
  }

  private async compare(): Promise<void> {
    fill(this.found, h("p", { class: "hint" }, "Comparing…"));
    try {
      const head = await this.compared();
      this.last = head.found;
      const lines = head.found.map((line) => h("tr", {}, h("th", { scope: "row" }, line.column), h("td", {}, line.words), h("td", {}, fixed(line.effect)), h("td", {}, probability(line.p))));
      const titles = ["column", "in the selection (others)", "effect", "p"].map((text) => h("th", { scope: "col" }, text));
      fill(this.found, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What distinguishes the selection" }, h("table", { name: "distinct" }, h("caption", {}, head.caption), h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...lines))), h("p", { class: "hint" }, head.note));
    } catch (error) {
      fill(this.found);
      this.failed(error as Error);
    }
  }
}

const probability = (p: number) => (p < 0.001 ? (p < 1e-300 ? "< 1e-300" : p.toExponential(0)) : p.toFixed(3));
