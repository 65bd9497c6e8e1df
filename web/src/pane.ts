// One map on the page: drawing, panning, zooming and picking.

import { h, svg } from "./dom";
import { Motion } from "./motion";
import { inside, nearest, type Picture, place as placeOf } from "./pick";
import { Points, type View } from "./points";
import type { Mode } from "./selection";

export interface Host {
  n: number;
  order: Uint32Array;
  hidden: Uint8Array;
  tool: "lasso" | "pan";
  density: boolean;
  moved(pane: Pane): void;
  chose(pane: Pane, rows: Uint32Array, mode: Mode): void;
  pointed(pane: Pane, row: number, x: number, y: number): void;
}

const MANY = 60_000; // points of a first picture, before all are drawn
const GRID = 160; // cells along the shorter side, for the density

export class Pane {
  readonly canvas = h("canvas", { class: "points" });
  readonly backdrop = h("canvas", { class: "backdrop" });
  readonly overlay = h("div", { class: "overlay", tabindex: 0, role: "application" });
  readonly element = h("div", { class: "stage" }, this.backdrop, this.canvas, this.overlay);
  readonly points: Points;
  view: View = { x: 0.5, y: 0.5, zoom: 1 };
  picture: Picture;
  ring = -1; // the sample that is pointed at
  box: { x: number; y: number; side: number } | null = null; // chosen by keyboard, in pixels
  frames = 0; // pictures drawn so far
  polygon: [number, number][] = []; // the last lasso, in the map's square
  private lasso: [number, number][] = [];
  private line = svg("polygon");
  private frame = svg("rect");
  private circle = svg("circle");
  private pointers = new Map<number, [number, number]>();
  private queued = false;
  private settling = 0;
  private motion: Motion;
  private gone = false;

  constructor(private host: Host, label: string) {
    this.overlay.setAttribute("aria-label", label);
    this.overlay.append(svg("svg", { "aria-hidden": "true" }, this.line, this.frame, this.circle));
    this.motion = new Motion(host.n);
    this.points = new Points(this.canvas, host.n, host.order);
    const empty = new Uint16Array(2 * host.n).fill(32768);
    this.picture = { from: empty, to: empty, t: 0 };
    this.points.setHidden(host.hidden);
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
  }

  get width(): number {
    return this.element.clientWidth || 1;
  }
  get height(): number {
    return this.element.clientHeight || 1;
  }
  // Length of a side of the map's square, in pixels of the page.
  get perUnit(): number {
    return 0.92 * Math.min(this.width, this.height) * this.view.zoom;
  }

  toPixels(x: number, y: number): [number, number] {
    return [(x - this.view.x) * this.perUnit + this.width / 2, this.height / 2 - (y - this.view.y) * this.perUnit];
  }
  toUnits(px: number, py: number): [number, number] {
    return [(px - this.width / 2) / this.perUnit + this.view.x, (this.height / 2 - py) / this.perUnit + this.view.y];
  }

  show(from: Uint16Array, to: Uint16Array, t: number): void {
    if (from !== this.picture.from || to !== this.picture.to) this.points.setMaps(from, to);
    this.picture = { from, to, t };
    this.points.t = t;
    this.refresh(true);
  }

  // Draw in the next frame; while the picture moves, only some of many points.
  refresh(moving = false): void {
    if (moving) {
      clearTimeout(this.settling);
      this.settling = window.setTimeout(() => {
        this.settling = 0;
        this.refresh();
      }, this.motion.rest);
    }
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.draw(this.settling ? this.motion.share() : 1);
    });
  }

  draw(some = 1): void {
    if (this.gone || !this.canvas.width) return;
    const dark = getComputedStyle(this.element).colorScheme.startsWith("dark");
    const rim: [number, number, number] = dark ? [1, 1, 1] : [0, 0, 0];
    this.points.draw(this.view, this.perUnit, devicePixelRatio, rim, some);
    this.drawBackdrop(some, dark);
    this.drawOverlay();
    this.frames++;
    this.element.dataset.frames = String(this.frames);
  }

  // Grey shading where samples are dense, by the logarithm of their number.
  private drawBackdrop(some: number, dark: boolean): void {
    const context = this.backdrop.getContext("2d")!;
    context.clearRect(0, 0, this.backdrop.width, this.backdrop.height);
    if (!this.host.density || some < 1) return;
    const cell = Math.min(this.width, this.height) / GRID;
    const nx = Math.ceil(this.width / cell), ny = Math.ceil(this.height / cell);
    const counts = new Float32Array(nx * ny);
    const { from, to, t } = this.picture;
    const scale = this.perUnit / 65535 / cell;
    const [left, bottom] = [this.view.x * 65535 - (this.width / 2 / this.perUnit) * 65535, this.view.y * 65535 - (this.height / 2 / this.perUnit) * 65535];
    let most = 1;
    for (let i = 0; i < this.host.n; i++) {
      if (this.host.hidden[i]) continue;
      const cx = (from[2 * i] + t * (to[2 * i] - from[2 * i]) - left) * scale;
      const cy = (from[2 * i + 1] + t * (to[2 * i + 1] - from[2 * i + 1]) - bottom) * scale;
      if (cx < 0 || cy < 0 || cx >= nx || cy >= ny) continue;
      const count = ++counts[(ny - 1 - (cy | 0)) * nx + (cx | 0)];
      if (count > most) most = count;
    }
    const image = new ImageData(nx, ny);
    const grey = dark ? 255 : 0;
    for (let c = 0; c < counts.length; c++) {
      image.data[4 * c] = image.data[4 * c + 1] = image.data[4 * c + 2] = grey;
      image.data[4 * c + 3] = (110 * Math.log1p(counts[c])) / Math.log1p(most);
    }
    const small = h("canvas", { width: nx, height: ny });
    small.getContext("2d")!.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, (nx * cell * this.backdrop.width) / this.width, (ny * cell * this.backdrop.height) / this.height);
  }

  // What is drawn over the points: the unfinished lasso, the box, and a ring.
  drawOverlay(): void {
    const path = this.lasso.map((corner) => this.toPixels(...corner).join()).join(" ");
    const { box } = this, side = box?.side ?? 0;
    this.line.setAttribute("points", path);
    place(this.frame, box ? { x: box.x - side / 2, y: box.y - side / 2, width: side, height: side } : null);
    const at = this.ring < 0 ? null : this.toPixels(...placeOf(this.picture, this.ring));
    place(this.circle, at && { cx: at[0], cy: at[1], r: 8 });
  }

  pan(dx: number, dy: number): void {
    this.setView({ ...this.view, x: this.view.x - dx / this.perUnit, y: this.view.y + dy / this.perUnit });
  }

  zoomAt(px: number, py: number, factor: number): void {
    const zoom = Math.min(200, Math.max(0.5, this.view.zoom * factor));
    const [x, y] = this.toUnits(px, py);
    const kept = this.view.zoom / zoom;
    this.setView({ x: x + (this.view.x - x) * kept, y: y + (this.view.y - y) * kept, zoom });
  }

  setView(view: View): void {
    this.view = view;
    this.refresh(true);
    this.host.moved(this);
  }

  choose(corners: [number, number][], mode: Mode): void {
    this.polygon = corners;
    this.host.chose(this, inside(this.picture, this.host.hidden, corners), mode);
  }

  chooseBox(mode: Mode): void {
    if (!this.box) return;
    const { x, y, side } = this.box, r = side / 2;
    const corners = [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]] as [number, number][];
    this.choose(corners.map(([a, b]) => this.toUnits(a, b)), mode);
    this.box = null;
    this.refresh();
  }

  drop(): void {
    this.gone = true;
    this.points.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  private resize(): void {
    for (const canvas of [this.canvas, this.backdrop]) {
      canvas.width = Math.round(this.width * devicePixelRatio);
      canvas.height = Math.round(this.height * devicePixelRatio);
    }
    const all = this.host.n <= MANY;
    this.draw(all ? 1 : MANY / this.host.n);
    if (!all) this.refresh(true);
  }

  private at(event: PointerEvent | WheelEvent): [number, number] {
    const box = this.overlay.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private listen(): void {
    const on = <K extends keyof HTMLElementEventMap>(name: K, hear: (event: HTMLElementEventMap[K]) => void) =>
      this.overlay.addEventListener(name, hear, { passive: false });
    on("wheel", (event) => {
      event.preventDefault();
      this.zoomAt(...this.at(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)));
    });
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", (event) => this.release(event));
    on("pointerleave", () => this.host.pointed(this, -1, 0, 0));
    on("contextmenu", (event) => event.preventDefault());
  }

  private press(event: PointerEvent): void {
    this.overlay.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.at(event));
    this.lasso = this.pointers.size === 1 && this.draws(event) ? [this.toUnits(...this.at(event))] : [];
  }

  private draws(event: PointerEvent): boolean {
    return this.host.tool === "lasso" && event.button === 0;
  }

  private move(event: PointerEvent): void {
    const now = this.at(event), before = this.pointers.get(event.pointerId);
    if (!before) {
      const [x, y] = this.toUnits(...now);
      this.host.pointed(this, nearest(this.picture, this.host.hidden, x, y, 14 / this.perUnit), ...now);
      return;
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.lasso.length) {
      const steps = event.getCoalescedEvents?.() ?? [];
      for (const step of steps.length ? steps : [event]) this.lasso.push(this.toUnits(...this.at(step)));
      this.drawOverlay();
    } else this.pan(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(event.pointerId, now);
  }

  private pinch(moving: number, before: [number, number], now: [number, number]): void {
    const still = [...this.pointers].find(([id]) => id !== moving)![1];
    const apart = (a: [number, number], b: [number, number]) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    this.zoomAt((now[0] + still[0]) / 2, (now[1] + still[1]) / 2, apart(now, still) / apart(before, still));
    this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  }

  private release(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    const corners = this.lasso;
    this.lasso = [];
    if (corners.length > 2 && event.type === "pointerup") {
      this.choose(corners, event.shiftKey ? "add" : event.altKey ? "remove" : "replace");
    } else if (corners.length && event.type === "pointerup") this.tap(corners[0], event);
    this.drawOverlay();
  }

  // A click selects the sample under the pointer, or nothing.
  private tap(at: [number, number], event: PointerEvent): void {
    const row = nearest(this.picture, this.host.hidden, ...at, 14 / this.perUnit);
    this.host.chose(this, Uint32Array.from(row < 0 ? [] : [row]), event.shiftKey ? "add" : event.altKey ? "remove" : "replace");
  }
}

// Place a shape, or hide it.
function place(shape: SVGElement, at: Record<string, number> | null): void {
  shape.toggleAttribute("hidden", !at);
  for (const [name, value] of Object.entries(at ?? {})) shape.setAttribute(name, String(value));
}
