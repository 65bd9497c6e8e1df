// Maps that are being drawn: request, watch and stop them, and add them to the tree.

import type { App } from "./app";
import { asU16, type Container } from "./container";
import { button, fill, h } from "./dom";
import { type Factored, type Kept, type MapInfo, readMap } from "./model";
import { bits } from "./selection";

export class Drawing {
  readonly element = h("div", { class: "job", hidden: true });
  live = false; // whether the right pane shows a map being drawn
  private words = h("span", {});
  private soon = 0;

  constructor(private app: App) {
    fill(this.element, this.words, button("Stop", "Stop drawing; the map so far stays (x)", () => this.stop(), { name: "stop" }));
    app.link.listen((message) => this.hear(message));
  }

  // Send a request; show the message if it is refused.
  async request(op: string, body: object): Promise<Container | null> {
    try {
      return await this.app.link.ask(op, body);
    } catch (error) {
      this.app.fail((error as Error).message);
      return null;
    }
  }

  start(priors: Factored[], keep: Kept[]): void {
    const { shown } = this.app;
    if (priors.length) void this.request("job.start", { parent: shown.right || shown.left, priors, keep });
  }

  startPath(): void {
    void this.request("path.start", { key: this.app.shown.right });
  }

  stop(): void {
    if (!this.element.hidden) void this.request("job.stop", {});
  }

  // The server stores the selection, so that a page that is opened again has it too.
  remember(): void {
    clearTimeout(this.soon);
    this.soon = window.setTimeout(() => void this.request("select", { rows: bits(this.app.selection.rows, this.app.n) }), 300);
  }

  private hear({ head, blocks }: Container): void {
    if (head.op === "frame") this.frame(head, blocks);
    else if (head.op === "map") this.arrive(head, blocks);
    else if (head.op === "job") this.show(head);
    else if (head.op === "left") this.told(head.left);
    else if (head.op === "gone") this.leave(head.keys);
    else if (head.op === "lost" || head.op === "failed") {
      this.show({ state: "none" });
      this.app.fail(head.text);
    }
  }

  private show(head: any): void {
    const { app } = this;
    this.element.hidden = head.state === "none";
    app.root.dataset.job = head.state;
    this.words.textContent = head.words ?? "";
    if (head.state !== "none") app.say(head.words ?? "");
    else if (this.live) app.setMap("right", app.shown.right, false);
  }

  // A map while it is drawn. The server sends the newest frame once the page has drawn the last one.
  private frame(head: any, blocks: Uint8Array[]): void {
    const { app } = this, points = asU16(blocks[0]);
    this.live = true;
    app.still("right");
    app.panes.right.show(points, points, 0);
    app.captions.right.textContent = `being drawn: step ${head.iteration}`;
    this.words.textContent = `${head.words}, step ${head.iteration}`;
    app.root.dataset.frame = String(head.iteration);
    requestAnimationFrame(() => app.link.tell("ack", { job: head.job, iteration: head.iteration }));
  }

  private arrive(head: any, blocks: Uint8Array[]): void {
    const { app } = this, map = readMap(head.map, blocks);
    app.model.maps.set(map.key, map);
    app.model.paths = head.paths;
    if (!app.shown.left) app.setMap("left", map.key, false);
    app.refreshMaps();
    app.root.dataset.maps = String(app.model.maps.size);
    if (!head.show) return;
    if (head.before && app.shown.left !== head.before) app.setMap("left", head.before);
    // Its last frame is on the screen already, so it needs no animation.
    app.setMap("right", map.key, !this.live);
    app.tell(map.state === "stopped" ? `Stopped: ${map.name}` : `Drawn: ${map.name}`, false);
  }

  // Scores of priors that were just measured on existing maps.
  private told(found: Record<string, Pick<MapInfo, "left" | "within">>): void {
    const { app } = this;
    for (const [key, shown] of Object.entries(found)) Object.assign(app.model.maps.get(key) ?? {}, shown);
    app.refreshCaptions();
  }

  private leave(keys: string[]): void {
    const { app } = this, { model } = app;
    for (const key of keys) model.maps.delete(key);
    model.paths = model.paths.filter((path) => ![path.of, ...path.maps].some((key) => keys.includes(key)));
    const [first] = model.maps.keys();
    for (const side of ["left", "right"] as const) if (!model.maps.has(app.shown[side])) app.setMap(side, first);
    app.refreshMaps();
    app.root.dataset.maps = String(model.maps.size);
  }
}
