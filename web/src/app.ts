// The page: two maps side by side, their colours, and the actions of the user.

import { type Shades, paint } from "./color";
import type { Container } from "./container";
import { fill, h } from "./dom";
import { Drawing } from "./drawing";
import { FactorPanel } from "./factor";
import { hearKeys } from "./keys";
import { Layout } from "./layout";
import { Legend } from "./legend";
import type { Link } from "./link";
import { describe, MapTree } from "./maps";
import { type Column, idOf, type Model, readColumn, readModel, show } from "./model";
import { type Host, Pane } from "./pane";
import { type Between, PathSlider } from "./path";
import { shuffled } from "./points";
import { type Mode, rowsOf, Selection } from "./selection";

const MORPH = 500; // milliseconds from one map to the next
const DENSE = 20_000; // samples from which density is shaded at first
export const SIDES = ["left", "right"] as const;
export type Side = (typeof SIDES)[number];

export class App implements Host {
  readonly model: Model;
  readonly n: number;
  readonly order: Uint32Array;
  readonly hidden: Uint8Array;
  readonly selection: Selection;
  readonly panes: Record<Side, Pane>;
  tool: "lasso" | "pan" = "lasso";
  density: boolean;
  linked = true;
  shown: Record<Side, string> = { left: "", right: "" };
  times: Record<string, number> = {};
  shades: Shades;
  private column: Column | null = null;
  readonly layout: Layout;
  readonly drawing: Drawing;
  readonly choices: Record<Side, HTMLSelectElement>;
  readonly captions: Record<Side, HTMLElement>;
  readonly colors = h("select", { "aria-label": "Colour by" });
  readonly legend: Legend;
  readonly tree: MapTree;
  readonly slider: PathSlider;
  readonly factor: FactorPanel | null = null;
  readonly status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  readonly tip = h("div", { class: "tip", hidden: true });
  readonly count = h("span", { class: "selected" });
  readonly snippet = h("pre", { class: "snippet", tabindex: 0 });
  private spoken = -1000;
  private pending = 0;
  private animations: Record<Side, number> = { left: 0, right: 0 };

  constructor(readonly root: HTMLElement, readonly link: Link, page: Container, keys: HTMLElement | Document) {
    const start = performance.now();
    const model = (this.model = readModel(page));
    this.n = model.n;
    this.order = shuffled(model.n);
    this.hidden = new Uint8Array(model.n);
    this.selection = new Selection(model.n);
    this.density = model.n >= DENSE;
    this.shades = paint(model, null);
    this.panes = { left: new Pane(this, "Left map"), right: new Pane(this, "Right map") };
    const side = <T>(make: (s: Side) => T) => ({ left: make("left"), right: make("right") });
    this.choices = side((s) => h("select", { "aria-label": `Map on the ${s}`, change: () => this.setMap(s, this.choices[s].value) }));
    this.captions = side(() => h("p", { class: "caption" }));
    this.legend = new Legend(model, this.hidden, () => this.filtered(), (rows) => this.choose(rows, "replace"));
    this.tree = new MapTree(model, { left: (key) => this.setMap("left", key), right: (key) => this.setMap("right", key), remove: (key) => void this.drawing.request("map.drop", { key }), goOn: (key) => void this.drawing.request("job.continue", { key }) });
    this.slider = new PathSlider(model, (between) => this.slide(between));
    this.colors.addEventListener("change", () => this.setColor(this.colors.value));
    this.drawing = new Drawing(this);
    if (model.canDraw) this.factor = new FactorPanel(model, this.selection, link, (wanted, keep) => this.drawing.start(wanted, keep));
    this.layout = new Layout(this);
    root.append(this.layout.element);
    this.selection.listen(() => this.chosen());
    hearKeys(this, keys);
    const first = [...model.maps.keys()];
    this.refreshMaps();
    if (first.length) {
      this.setMap("left", model.left ?? first[0], false);
      this.setMap("right", model.right ?? first[first.length - 1], false);
    }
    this.setColor(model.color ?? model.columns.find((c) => c.kind !== "text")?.name ?? "");
    if (model.chosen) this.selection.set(rowsOf(model.chosen, model.n));
    this.chosen();
    if (model.canDraw) this.selection.listen(() => this.drawing.remember());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    this.times.start = performance.now() - start;
    this.times.sinceNavigation = performance.now();
    (root as any).explorer = this;
    root.dataset.ready = "1";
    if (model.canDraw) void this.drawing.request("hello", {});
  }

  drop(): void {
    for (const s of SIDES) this.panes[s].drop();
  }

  // Announce to screen readers, at most once a second; of more messages, only the last.
  say(text: string): void {
    clearTimeout(this.pending);
    const early = this.spoken + 1000 - performance.now();
    if (early > 0) this.pending = window.setTimeout(() => this.say(text), early);
    else this.tell(text, false);
  }

  // Announce at once.
  fail(text: string): void {
    this.tell(text, true);
  }

  tell(text: string, failed: boolean): void {
    clearTimeout(this.pending);
    this.spoken = performance.now();
    this.status.textContent = text;
    this.status.classList.toggle("failure", failed);
  }

  // --- maps ---

  refreshMaps(): void {
    for (const s of SIDES) {
      fill(this.choices[s], ...[...this.model.maps.values()].map((map) => h("option", { value: map.key }, map.name)));
      this.choices[s].value = this.shown[s];
    }
    this.tree.show(this.shown.left, this.shown.right);
    this.factor?.refresh();
  }

  refreshCaptions(): void {
    for (const s of SIDES) {
      const map = this.model.maps.get(this.shown[s]);
      if (!map) continue;
      const same = s === "right" && this.model.canDraw && this.shown.left === map.key;
      this.captions[s].textContent = describe(map) || (same ? "Factor something out: the next map comes here." : "");
    }
    this.tree.show(this.shown.left, this.shown.right);
  }

  // End the animation of a pane.
  still(side: Side): void {
    cancelAnimationFrame(this.animations[side]);
  }

  setMap(side: Side, key: string, morph = true): void {
    const map = this.model.maps.get(key);
    if (!map) return;
    if (side === "right") this.drawing.live = false;
    this.shown[side] = key;
    this.root.dataset[side] = key;
    this.morph(side, map.points, morph);
    this.choices[side].value = key;
    this.refreshCaptions();
    if (side === "right") {
      this.slider.show(key);
      this.snippet.textContent = map.snippet;
      this.factor?.begin(map.factored, map.factored.length ? map.keep : this.model.keep);
    }
  }

  // Animate a pane from what it shows to a map; switch at once if reduced motion is set.
  private morph(side: Side, target: Uint16Array, gradually: boolean): void {
    const pane = this.panes[side], from = pane.picture.t < 0.5 ? pane.picture.from : pane.picture.to;
    this.still(side);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!gradually || still || from === target) return pane.show(target, target, 0);
    const start = performance.now();
    const step = () => {
      const t = Math.min(1, (performance.now() - start) / MORPH);
      pane.show(from, target, t * t * (3 - 2 * t));
      if (t < 1) this.animations[side] = requestAnimationFrame(step);
      else pane.show(target, target, 0);
    };
    step();
  }

  private slide({ a, b, t }: Between): void {
    const [from, to] = [this.model.maps.get(a)!, this.model.maps.get(b)!];
    this.still("right");
    this.drawing.live = false;
    if (t < 1e-9 || t > 1 - 1e-9) {
      const at = t < 0.5 ? from : to;
      this.shown.right = this.root.dataset.right = at.key;
      this.panes.right.show(at.points, at.points, 0);
      this.captions.right.textContent = describe(at);
      this.choices.right.value = at.key;
      this.snippet.textContent = at.snippet;
    } else {
      this.panes.right.show(from.points, to.points, t);
      this.captions.right.textContent = "between two maps";
      this.root.dataset.right = "between";
    }
  }

  // --- colour ---

  setColor(name: string): void {
    fill(this.colors, h("option", { value: "" }, "one colour"), ...this.model.columns.filter((c) => c.kind !== "text").map((c) => h("option", { value: c.name }, c.name)));
    this.column = this.model.columns.find((c) => c.name === name) ?? null;
    this.colors.value = this.column?.name ?? "";
    this.shades = paint(this.model, this.column);
    for (const s of SIDES) this.panes[s].points.setShades(this.shades.shade, this.shades.table);
    this.legend.show(this.column);
  }

  async fetchColumn(name: string): Promise<void> {
    if (!this.model.onDemand.includes(name)) return;
    try {
      if (!this.model.columns.some((c) => c.name === name)) {
        const { head, blocks } = await this.link.ask("column", { name });
        this.model.columns.push(readColumn(head.column, blocks));
        this.factor?.refresh();
      }
      this.setColor(name);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private filtered(): void {
    for (const s of SIDES) this.panes[s].points.setHidden(this.hidden);
    this.redraw();
  }

  // --- selection ---

  choose(rows: Iterable<number>, mode: Mode): void {
    this.selection.set(rows, mode);
  }

  chose(_: Pane, rows: Uint32Array, mode: Mode): void {
    this.choose(rows, mode);
  }

  private chosen(): void {
    const { selection } = this;
    const rows = new Uint32Array(selection.size);
    for (let k = 0, at = 0; at < rows.length; k++) if (selection.chosen[this.order[k]]) rows[at++] = this.order[k];
    for (const s of SIDES) this.panes[s].points.setChosen(rows);
    this.count.textContent = `${selection.size.toLocaleString("en")} of ${this.n.toLocaleString("en")} selected`;
    this.root.dataset.selected = String(selection.size);
    this.say(`${selection.size} samples selected`);
    this.redraw();
  }

  pointed(_: Pane, row: number, x: number, y: number): void {
    for (const s of SIDES) {
      if (this.panes[s].ring === row) continue;
      this.panes[s].ring = row;
      this.panes[s].drawOverlay();
    }
    this.root.dataset.hover = row < 0 ? "" : String(row);
    this.tip.hidden = row < 0;
    if (row < 0) return;
    const some = [...new Set([this.column, ...this.model.columns.slice(0, 6)])].filter((c) => c !== null);
    fill(this.tip, h("b", {}, idOf(this.model, row)), ...some.map((c) => h("div", {}, `${c.name}: ${show(c, row) || "no value"}`)));
    const box = _.element.getBoundingClientRect(), home = this.layout.element.getBoundingClientRect();
    const left = box.left - home.left + x + 14, top = box.top - home.top + y + 14;
    this.tip.style.left = `${Math.min(left, home.width - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.min(top, home.height - this.tip.offsetHeight - 8)}px`;
  }

  // --- view ---

  moved(pane: Pane): void {
    if (!this.linked) return;
    for (const s of SIDES) {
      const other = this.panes[s];
      if (other === pane) continue;
      other.view = { ...pane.view };
      other.refresh(true);
    }
  }

  reset(): void {
    for (const s of SIDES) this.panes[s].setView({ x: 0.5, y: 0.5, zoom: 1 });
  }

  setTool(tool: "lasso" | "pan"): void {
    this.tool = tool;
    this.root.dataset.tool = tool;
    this.layout.settle();
  }

  toggleLink(): void {
    this.linked = !this.linked;
    this.layout.settle();
  }

  toggleDensity(): void {
    this.density = !this.density;
    this.layout.settle();
    this.redraw();
  }

  redraw(): void {
    for (const s of SIDES) this.panes[s].refresh();
  }
}
