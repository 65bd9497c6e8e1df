// Maps along strengths -> a slider that goes from one to the next, beside the curves of left and kept.

import { fill, fixed, h, svg } from "./dom";
import type { Model, Path } from "./model";

export interface Between {
  a: string;
  b: string;
  t: number;
}

const WIDTH = 260, HEIGHT = 90, MARGIN = 22;

export class PathSlider {
  readonly element = h("section", { class: "path", hidden: true, "aria-label": "Strengths" });
  private path: Path | null = null;
  private range = h("input", { type: "range", min: 0, max: 1, step: "any", list: "unprior-ticks" });
  private words = h("output", { class: "between" });
  private mark = svg("line", { class: "mark", y1: 0, y2: HEIGHT });

  constructor(private model: Model, private moved: (between: Between) => void) {
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    // On release the slider snaps to a map: what lies between is not a map.
    this.range.addEventListener("change", () => this.go(Math.round(Number(this.range.value))));
    this.range.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!by || !this.path) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(Math.min(this.path.maps.length - 1, Math.max(0, Math.round(Number(this.range.value)) + by)));
    });
  }

  // Show the path that a map belongs to, at that map; hide the slider if there is none.
  show(key: string): void {
    const paths = this.model.paths.filter((path) => path.maps.includes(key));
    this.path = paths.includes(this.path!) ? this.path : (paths[0] ?? null);
    this.element.hidden = !this.path;
    if (!this.path) return;
    const { maps, strengths } = this.path;
    this.range.max = String(maps.length - 1);
    this.range.setAttribute("aria-label", "Strength: how much is factored out");
    const ticks = h("datalist", { id: "unprior-ticks" }, ...maps.map((_, k) => h("option", { value: k, label: String(strengths[k]) })));
    const marks = h("div", { class: "ticks", "aria-hidden": "true" }, ...strengths.map((s) => h("span", {}, String(s))));
    fill(this.element, h("div", { class: "slide" }, h("label", {}, "strength ", this.words), this.range, marks, ticks), this.curves());
    this.place(maps.indexOf(key));
  }

  private go(value: number): void {
    this.place(value);
    const { maps } = this.path!, k = Math.min(maps.length - 2, Math.floor(value));
    this.moved({ a: maps[k], b: maps[k + 1], t: value - k });
  }

  private place(value: number): void {
    const { strengths } = this.path!;
    this.range.value = String(value);
    const k = Math.floor(value), here = strengths[Math.round(value)];
    const exact = Math.abs(value - Math.round(value)) < 1e-9;
    this.words.textContent = exact ? String(here) : `between ${strengths[k]} and ${strengths[k + 1]}: a picture between two maps, not a map`;
    this.range.setAttribute("aria-valuetext", this.words.textContent);
    this.element.dataset.at = exact ? String(Math.round(value)) : "between";
    const x = this.across(value);
    this.mark.setAttribute("x1", String(x));
    this.mark.setAttribute("x2", String(x));
  }

  private across(value: number): number {
    return MARGIN + (value / (this.path!.maps.length - 1)) * (WIDTH - 2 * MARGIN);
  }

  private curves(): Element {
    const maps = this.path!.maps.map((key) => this.model.maps.get(key)!);
    const of = this.model.maps.get(this.path!.of), names = of?.factored.map((f) => f.name) ?? [];
    const kept = of?.keep.map((k) => k.name).join(" and ") ?? "";
    const up = (value: number) => HEIGHT - 12 - Math.max(-0.1, value) * (HEIGHT - 24);
    const lines: { label: string; kind: string; values: (number | null)[] }[] = names.map((name) => ({ label: kept ? `${name} left within ${kept}` : `${name} left`, kind: "left", values: maps.map((m) => (kept ? m.within[kept]?.[name] : m.left[name]) ?? null) }));
    lines.push({ label: "kept", kind: "kept", values: maps.map((m) => m.kept) });
    const drawn = lines.map(({ kind, values }) => {
      const dots = values.map((v, k) => (v === null ? null : ([this.across(k), up(v)] as const))).filter((d) => d !== null);
      return svg("g", { class: kind }, svg("polyline", { points: dots.map((d) => d.join()).join(" ") }), ...dots.map(([cx, cy]) => svg("circle", { cx, cy, r: 2.5 })));
    });
    const axis = [0, 1].map((v) => svg("text", { x: 4, y: up(v) + 4 }, String(v)));
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img" }, svg("line", { class: "zero", x1: MARGIN, x2: WIDTH - MARGIN, y1: up(0), y2: up(0) }), ...axis, ...drawn, this.mark);
    const told = lines.map(({ label, values }) => `${label}: ${values.map(fixed).join(", ")}`).join("; ");
    picture.setAttribute("aria-label", `Scores along the strengths ${this.path!.strengths.join(", ")}. ${told}.`);
    return h("figure", {}, picture, h("figcaption", {}, ...lines.map(({ label, kind }) => h("span", { class: kind }, label))));
  }
}
