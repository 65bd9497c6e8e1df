// The page: two maps side by side, what they are coloured by, and what is asked of them.

import { type Shades, paint } from "./color";
import type { Container } from "./container";
import { asU16 } from "./container";
import { button, download, fill, h } from "./dom";
import { Explain } from "./explain";
import { toCsv, toPng, toSvg } from "./export";
import { FactorPanel } from "./factor";
import { hearKeys } from "./keys";
import { Legend } from "./legend";
import type { Link } from "./link";
import { describe, MapTree } from "./maps";
import { type Column, type Factored, idOf, type Model, readColumn, readMap, readModel, show } from "./model";
import { type Host, Pane } from "./pane";
import { type Between, PathSlider } from "./path";
import { shuffled } from "./points";
import { bits, type Mode, Selection } from "./selection";

const MORPH = 500; // milliseconds from one map to the next
const DENSE = 20_000; // samples from which density is shaded at first
const SIDES = ["left", "right"] as const;
export type Side = (typeof SIDES)[number];

export class App implements Host {
  readonly model: Model;
  readonly n: number;
  readonly order: Uint32Array;
  readonly hidden: Uint8Array;
  readonly selection: Selection;
  readonly panes: Record<Side, Pane>;
  readonly element = h("div", { class: "unprior" });
  tool: "lasso" | "pan" = "lasso";
  density: boolean;
  linked = true;
  shown: Record<Side, string> = { left: "", right: "" };
  times: Record<string, number> = {};
  private shades: Shades;
  private column: Column | null = null;
  private live = false; // whether the right pane shows a map being drawn
  private choices: Record<Side, HTMLSelectElement>;
  private captions: Record<Side, HTMLElement>;
  private colors = h("select", { "aria-label": "Colour by" });
  private legend: Legend;
  private tree: MapTree;
  private slider: PathSlider;
  private factor: FactorPanel | null = null;
  private status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  private tip = h("div", { class: "tip", hidden: true });
  private count = h("span", { class: "selected" });
  private job = h("div", { class: "job", hidden: true });
  private jobWords = h("span", {});
  private snippet = h("pre", { class: "snippet", tabindex: 0 });
  private spoken = -1000;
  private pending = 0;
  private animations: Record<Side, number> = { left: 0, right: 0 };

  constructor(readonly root: HTMLElement, private link: Link, page: Container, keys: HTMLElement | Document) {
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
    this.tree = new MapTree(model, { left: (key) => this.setMap("left", key), right: (key) => this.setMap("right", key), remove: (key) => this.request("map.drop", { key }) });
    this.slider = new PathSlider(model, (between) => this.slide(between));
    if (model.canDraw) this.factor = new FactorPanel(model, this.selection, (wanted) => this.startJob(wanted));
    this.build();
    this.selection.listen(() => this.chosen());
    link.listen((message) => this.hear(message));
    hearKeys(this, keys);
    const first = [...model.maps.keys()];
    this.refreshMaps();
    if (first.length) {
      this.setMap("left", model.left ?? first[0], false);
      this.setMap("right", model.right ?? first[first.length - 1], false);
    }
    this.setColor(model.color ?? model.columns.find((c) => c.kind !== "text")?.name ?? "");
    this.chosen();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    this.times.start = performance.now() - start;
    this.times.sinceNavigation = performance.now();
    (root as any).explorer = this;
    root.dataset.ready = "1";
    if (model.canDraw) this.request("hello", {});
  }

  drop(): void {
    for (const s of SIDES) this.panes[s].drop();
  }

  // --- the page ---

  private build(): void {
    const { model } = this;
    const tools = h("div", { class: "tools", role: "toolbar", "aria-label": "Tools" },
      this.toggle("Lasso", "Draw around samples to select them; Shift adds, Alt removes (l)", () => this.tool === "lasso", () => this.setTool("lasso")),
      this.toggle("Pan", "Drag the maps (p)", () => this.tool === "pan", () => this.setTool("pan")),
      button("Whole map", "Show all of both maps (0)", () => this.reset()),
      this.toggle("Link", "Move both maps together (k)", () => this.linked, () => (this.linked = !this.linked)),
      this.toggle("Density", "Shade where samples are many (s)", () => this.density, () => { this.density = !this.density; this.redraw(); }),
      button("Keys", "What every key does (?)", () => this.help.showModal()),
    );
    const top = h("header", {}, h("h1", {}, model.title), h("span", { class: "hint" }, `${model.n.toLocaleString("en")} samples`), tools);
    const stage = h("main", {}, ...SIDES.map((s) => h("section", { class: `pane ${s}`, "aria-label": s === "left" ? "Before" : "After" }, h("div", { class: "head" }, h("h2", {}, s === "left" ? "Before" : "After"), this.choices[s]), this.panes[s].element, this.captions[s])));
    fill(this.job, this.jobWords, button("Stop", "Stop drawing; the map so far stays (x)", () => this.stop(), { name: "stop" }));
    const more = model.onDemand.length ? h("input", { list: "unprior-more", placeholder: "another column", "aria-label": "Colour by another column", change: (event: Event) => this.fetchColumn((event.target as HTMLInputElement).value) }) : null;
    const moreNames = h("datalist", { id: "unprior-more" }, ...model.onDemand.slice(0, 5000).map((name) => h("option", { value: name })));
    this.colors.addEventListener("change", () => this.setColor(this.colors.value));
    const panel = (title: string, ...parts: (Node | null)[]) => h("section", { class: "panel" }, h("h2", {}, title), ...parts);
    const explain = new Explain(model, this.selection, this.link, (error) => this.say(error.message, true));
    const acts = h("div", { class: "acts" },
      button("None", "Select nothing (Esc)", () => this.selection.clear()),
      button("Invert", "Select all others (i)", () => this.selection.invert()),
      button("Undo", "The selection before (Ctrl+Z)", () => this.selection.undo()),
      button("CSV", "Save the selected rows, or all if none is selected (c)", () => this.saveCsv(), { name: "csv" }),
      model.canSave && button("Save", "Write maps and selection to the file named by --out", () => this.save(), { name: "save" }),
    );
    const pictures = h("div", { class: "acts" }, ...SIDES.flatMap((s) => [button(`PNG ${s}`, `Save the ${s} map as PNG`, () => this.savePng(s)), button(`SVG ${s}`, `Save the ${s} map as SVG`, () => this.saveSvg(s))]));
    const side = h("aside", {},
      panel("Colour", this.colors, more, moreNames, this.legend.element),
      panel("Selection", this.count, acts, explain.element),
      this.factor ? panel("Factor out", h("p", { class: "hint" }, "You know this; the next map shows something else."), this.factor.element, this.strengthsButton()) : panel("Factor out", h("p", { class: "hint" }, "This page is a file. To draw maps, open the data with: unprior explore")),
      panel("Maps", this.tree.element, pictures, h("details", {}, h("summary", {}, "Python for the right map"), this.snippet)),
    );
    fill(this.element, top, h("div", { class: "body" }, h("div", { class: "maps" }, stage, this.slider.element, this.job, this.status), side), this.tip, this.help);
    this.root.append(this.element);
  }

  private help = h("dialog", { class: "keys", "aria-label": "Keys" });

  private strengthsButton(): Element {
    return button("Strengths in between", "Draw maps from strength 0 to that of the right map, and a slider between them", () => this.request("path.start", { key: this.shown.right }), { name: "path" });
  }

  private toggles: (() => void)[] = [];
  private toggle(text: string, title: string, on: () => boolean, click: () => void): HTMLButtonElement {
    const made = button(text, title, () => { click(); this.settleToggles(); });
    this.toggles.push(() => made.setAttribute("aria-pressed", String(on())));
    this.toggles[this.toggles.length - 1]();
    return made;
  }
  settleToggles(): void {
    for (const settle of this.toggles) settle();
  }

  setHelp(lines: [string, string][]): void {
    const rows = lines.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)));
    fill(this.help, h("table", {}, h("tbody", {}, ...rows)), h("form", { method: "dialog" }, h("button", {}, "Close")));
  }
  showHelp(): void {
    this.help.showModal();
  }

  // Read aloud by screen readers, at most once a second.
  say(text: string, urgent = false): void {
    clearTimeout(this.pending);
    const early = this.spoken + 1000 - performance.now();
    if (!urgent && early > 0) {
      this.pending = window.setTimeout(() => this.say(text), early);
      return;
    }
    this.spoken = performance.now();
    this.status.textContent = text;
    this.status.classList.toggle("failure", urgent);
  }

  // --- maps ---

  private refreshMaps(): void {
    for (const s of SIDES) {
      fill(this.choices[s], ...[...this.model.maps.values()].map((map) => h("option", { value: map.key }, map.name)));
      this.choices[s].value = this.shown[s];
    }
    this.tree.show(this.shown.left, this.shown.right);
    this.factor?.refresh();
  }

  setMap(side: Side, key: string, morph = true): void {
    const map = this.model.maps.get(key);
    if (!map) return;
    if (side === "right") this.live = false;
    this.shown[side] = key;
    this.root.dataset[side] = key;
    this.morph(side, map.points, morph);
    this.captions[side].textContent = describe(map);
    this.choices[side].value = key;
    this.tree.show(this.shown.left, this.shown.right);
    if (side === "right") {
      this.slider.show(key);
      this.snippet.textContent = map.snippet;
      this.factor?.begin(map.factored);
    }
  }

  // Go from what a pane shows to a map, in view of the eye; at once where motion is unwelcome.
  private morph(side: Side, target: Uint16Array, gradually: boolean): void {
    const pane = this.panes[side], from = pane.picture.t < 0.5 ? pane.picture.from : pane.picture.to;
    cancelAnimationFrame(this.animations[side]);
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
    cancelAnimationFrame(this.animations.right);
    this.live = false;
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

  private async fetchColumn(name: string): Promise<void> {
    if (!this.model.onDemand.includes(name)) return;
    try {
      if (!this.model.columns.some((c) => c.name === name)) {
        const { head, blocks } = await this.link.ask("column", { name });
        this.model.columns.push(readColumn(head.column, blocks));
        this.factor?.refresh();
      }
      this.setColor(name);
    } catch (error) {
      this.say((error as Error).message, true);
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
    for (const s of SIDES) this.panes[s].points.setChosen(selection.rows);
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
    const box = _.element.getBoundingClientRect(), home = this.element.getBoundingClientRect();
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
    this.settleToggles();
  }

  redraw(): void {
    for (const s of SIDES) this.panes[s].refresh();
  }

  // --- files ---

  private get background(): string {
    return getComputedStyle(this.element).backgroundColor;
  }

  saveCsv(): void {
    const rows = this.selection.size ? this.selection.rows : Uint32Array.from({ length: this.n }, (_, i) => i);
    download("selection.csv", new Blob([toCsv(this.model, rows)], { type: "text/csv" }));
  }

  private async savePng(side: Side): Promise<void> {
    download(`${side}.png`, await toPng(this.panes[side], this.background));
  }

  private async saveSvg(side: Side): Promise<void> {
    download(`${side}.svg`, await toSvg(this.panes[side], this.shades, this.hidden, this.order, this.selection.chosen, this.background));
  }

  private async save(): Promise<void> {
    const answer = await this.request("save", { rows: bits(this.selection.rows, this.n) });
    if (answer) this.say(answer.head.text, true);
  }

  // --- drawing ---

  private async request(op: string, body: object): Promise<Container | null> {
    try {
      return await this.link.ask(op, body);
    } catch (error) {
      this.say((error as Error).message, true);
      return null;
    }
  }

  startJob(priors: Factored[]): void {
    if (priors.length) void this.request("job.start", { parent: this.shown.right || this.shown.left, priors });
  }

  drawWanted(): void {
    if (this.factor) this.startJob(this.factor.wanted);
  }

  factorSelection(): void {
    this.factor?.takeSelection();
  }

  stop(): void {
    if (!this.job.hidden) void this.request("job.stop", {});
  }

  private hear({ head, blocks }: Container): void {
    if (head.op === "frame") this.frame(head, blocks);
    else if (head.op === "map") this.arrive(head, blocks);
    else if (head.op === "job") this.showJob(head);
    else if (head.op === "left") this.told(head);
    else if (head.op === "gone") this.leave(head.keys);
    else if (head.op === "lost" || head.op === "failed") {
      this.showJob({ state: "none" });
      this.say(head.text, true);
    }
  }

  private showJob(head: any): void {
    this.job.hidden = head.state === "none";
    this.root.dataset.job = head.state;
    this.jobWords.textContent = head.words ?? "";
    if (head.state !== "none") this.say(head.words ?? "");
    else if (this.live) this.setMap("right", this.shown.right, false);
  }

  // A map while it is drawn. The answer says which frames may follow: only the newest is sent.
  private frame(head: any, blocks: Uint8Array[]): void {
    const points = asU16(blocks[0]);
    cancelAnimationFrame(this.animations.right);
    this.live = true;
    this.panes.right.show(points, points, 0);
    this.captions.right.textContent = `being drawn: step ${head.iteration}`;
    this.jobWords.textContent = `${head.words}, step ${head.iteration}`;
    this.root.dataset.frame = String(head.iteration);
    requestAnimationFrame(() => this.link.tell("ack", { job: head.job, iteration: head.iteration }));
  }

  private arrive(head: any, blocks: Uint8Array[]): void {
    const map = readMap(head.map, blocks);
    const known = this.model.maps.has(map.key);
    this.model.maps.set(map.key, map);
    this.model.paths = head.paths;
    if (!this.shown.left) this.setMap("left", map.key, false);
    this.refreshMaps();
    if (head.show !== false && head.before && this.shown.left !== head.before) this.setMap("left", head.before);
    // Its last frame is on the screen already, so that it needs no motion.
    if (!known && head.show !== false) this.setMap("right", map.key, !this.live);
    else for (const s of SIDES) if (this.shown[s] === map.key) this.setMap(s, map.key, false);
    this.root.dataset.maps = String(this.model.maps.size);
  }

  private told(head: any): void {
    for (const [key, left] of Object.entries(head.left)) {
      const map = this.model.maps.get(key);
      if (map) map.left = left as Record<string, number>;
    }
    for (const s of SIDES) if (this.model.maps.has(this.shown[s])) this.captions[s].textContent = describe(this.model.maps.get(this.shown[s])!);
    this.tree.show(this.shown.left, this.shown.right);
  }

  private leave(keys: string[]): void {
    for (const key of keys) this.model.maps.delete(key);
    this.model.paths = this.model.paths.filter((path) => !keys.includes(path.of));
    const [first] = this.model.maps.keys();
    for (const s of SIDES) if (!this.model.maps.has(this.shown[s])) this.setMap(s, first);
    this.refreshMaps();
    this.root.dataset.maps = String(this.model.maps.size);
  }
}
