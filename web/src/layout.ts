// The layout of the page.

import { type App, SIDES } from "./app";
import { button, fill, h } from "./dom";
import { Explain } from "./explain";
import { saveCsv, savePng, saveSvg, saveThere } from "./save";

export class Layout {
  readonly element = h("div", { class: "unprior" });
  readonly help = h("dialog", { class: "keys", "aria-label": "Keys" });
  explain!: Explain;
  private toggles: (() => void)[] = [];

  constructor(private app: App) {
    const { model } = app;
    const top = h("header", {}, h("h1", {}, model.title), h("span", { class: "hint" }, `${model.n.toLocaleString("en")} samples`), this.tools());
    const panes = SIDES.map((s) => {
      const word = s === "left" ? "Before" : "After";
      return h("section", { class: `pane ${s}`, "aria-label": word }, h("div", { class: "head" }, h("h2", {}, word), app.choices[s]), app.panes[s].element, app.captions[s]);
    });
    const maps = h("div", { class: "maps" }, h("main", {}, ...panes), app.slider.element, app.drawing.element, app.status);
    const side = h("aside", {}, this.colors(), this.selection(), this.factor(), this.maps());
    fill(this.element, top, h("div", { class: "body" }, maps, side), app.tip, this.help);
  }

  setHelp(lines: [string, string][]): void {
    const rows = lines.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)));
    fill(this.help, h("table", {}, h("tbody", {}, ...rows)), h("form", { method: "dialog" }, h("button", {}, "Close")));
  }

  settle(): void {
    for (const settle of this.toggles) settle();
  }

  private tools(): Element {
    const { app } = this;
    return h("div", { class: "tools", role: "toolbar", "aria-label": "Tools" },
      this.toggle("Lasso", "Draw around samples to select them; Shift adds, Alt removes (l)", () => app.tool === "lasso", () => app.setTool("lasso")),
      this.toggle("Pan", "Drag the maps (p)", () => app.tool === "pan", () => app.setTool("pan")),
      button("Whole map", "Show all of both maps (0)", () => app.reset()),
      this.toggle("Link", "Move both maps together (k)", () => app.linked, () => app.toggleLink()),
      this.toggle("Density", "Shade where samples are many (s)", () => app.density, () => app.toggleDensity()),
      button("Keys", "What every key does (?)", () => this.help.showModal()),
    );
  }

  private toggle(text: string, title: string, on: () => boolean, click: () => void): HTMLButtonElement {
    const made = button(text, title, () => {
      click();
      this.settle();
    });
    const settle = () => made.setAttribute("aria-pressed", String(on()));
    this.toggles.push(settle);
    settle();
    return made;
  }

  private panel(title: string, ...parts: (Node | null)[]): Element {
    return h("section", { class: "panel" }, h("h2", {}, title), ...parts);
  }

  private colors(): Element {
    const { app } = this, { onDemand } = app.model;
    if (!onDemand.length) return this.panel("Colour", app.colors, app.legend.element);
    const names = h("datalist", { id: "unprior-more" }, ...onDemand.slice(0, 5000).map((name) => h("option", { value: name })));
    const more = h("input", { list: "unprior-more", placeholder: "another column", "aria-label": "Colour by another column", change: () => void app.fetchColumn(more.value) });
    return this.panel("Colour", app.colors, more, names, app.legend.element);
  }

  private selection(): Element {
    const { app } = this, { selection } = app;
    const explain = (this.explain = new Explain(app.model, selection, app.link, (error) => app.fail(error.message)));
    const acts = h("div", { class: "acts" },
      button("None", "Select nothing (Esc)", () => selection.clear()),
      button("Invert", "Select all others (i)", () => selection.invert()),
      button("Undo", "The selection before (Ctrl+Z)", () => selection.undo()),
      button("CSV", "Save the selected rows, or all if none is selected (c)", () => saveCsv(app), { name: "csv" }),
      app.model.canSave && button("Save", "Write maps and selection to the file named by --out", () => void saveThere(app), { name: "save" }),
    );
    return this.panel("Selection", app.count, acts, explain.element);
  }

  private factor(): Element {
    const { app } = this;
    if (!app.factor) return this.panel("Factor out", h("p", { class: "hint" }, "No maps can be drawn here. To draw some, open the data with: unprior explore"));
    const strengths = button("Strengths in between", "Draw maps from strength 0 to that of the right map, and a slider between them", () => app.drawing.startPath(), { name: "path" });
    return this.panel("Factor out", h("p", { class: "hint" }, "You know this; the next map shows something else."), app.factor.element, strengths);
  }

  private maps(): Element {
    const { app } = this;
    const pictures = SIDES.flatMap((s) => [
      button(`PNG ${s}`, `Save the ${s} map as PNG`, () => void savePng(app, s)),
      button(`SVG ${s}`, `Save the ${s} map as SVG`, () => void saveSvg(app, s)),
    ]);
    return this.panel("Maps", app.tree.element, h("div", { class: "acts" }, ...pictures), h("details", {}, h("summary", {}, "Python for the right map"), app.snippet));
  }
}
