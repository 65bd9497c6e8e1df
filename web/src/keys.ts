// Keyboard shortcuts for everything that a mouse can do.

import type { App } from "./app";
import type { Pane } from "./pane";
import { saveCsv } from "./save";

const LINES: [string, string][] = [
  ["Tab", "to the next control; maps can be focused too"],
  ["arrows", "on a map: pan"],
  ["+ −", "on a map: zoom"],
  ["0", "show all of both maps"],
  ["b", "on a map: a box to select with; arrows move it, + − change its size, Enter selects, Shift+Enter adds"],
  ["Esc", "leave the box; select nothing"],
  ["Ctrl+Z", "the selection before"],
  ["i", "select all others"],
  ["l p", "lasso, pan"],
  ["k", "move both maps together, or not"],
  ["s", "shade density"],
  ["f", "factor out the selection"],
  ["e", "keep the selection"],
  ["d", "draw the map without what is listed"],
  ["x", "stop drawing"],
  ["c", "save the selected rows as CSV"],
  ["?", "this list"],
];

const STEP = 40; // pixels
const WAYS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function hearKeys(app: App, target: HTMLElement | Document): void {
  app.layout.setHelp(LINES);
  target.addEventListener("keydown", (event) => {
    const key = event as KeyboardEvent, at = key.target as HTMLElement;
    if (key.defaultPrevented || at.closest?.("dialog")) return;
    if ((key.ctrlKey || key.metaKey) && key.key.toLowerCase() === "z") {
      app.selection.undo();
      key.preventDefault();
      return;
    }
    if (key.ctrlKey || key.metaKey || key.altKey) return;
    const pane = Object.values(app.panes).find((p) => p.overlay === at);
    const typing = at.matches?.("input:not([type=checkbox]):not([type=range]), textarea, select");
    const done = (pane && onMap(app, pane, key)) || (!typing && anywhere(app, key));
    if (done) {
      key.preventDefault();
      if (target !== document) key.stopPropagation(); // a notebook has keys of its own
    }
  });
}

function onMap(app: App, pane: Pane, event: KeyboardEvent): boolean {
  const way = WAYS[event.key];
  if (pane.box) {
    if (way) Object.assign(pane.box, { x: pane.box.x + (way[0] * STEP) / 2, y: pane.box.y + (way[1] * STEP) / 2 });
    else if (event.key === "+" || event.key === "=") pane.box.side *= 1.2;
    else if (event.key === "-") pane.box.side /= 1.2;
    else if (event.key === "Enter") pane.chooseBox(event.shiftKey ? "add" : "replace");
    else if (event.key === "Escape") pane.box = null;
    else return false;
    pane.drawOverlay();
    return true;
  }
  if (way) pane.pan(-way[0] * STEP, -way[1] * STEP);
  else if (event.key === "+" || event.key === "=") pane.zoomAt(pane.width / 2, pane.height / 2, 1.25);
  else if (event.key === "-") pane.zoomAt(pane.width / 2, pane.height / 2, 0.8);
  else if (event.key === "b") {
    pane.box = { x: pane.width / 2, y: pane.height / 2, side: Math.min(pane.width, pane.height) / 4 };
    pane.drawOverlay();
    app.tell("A box in the middle of the map: arrows move it, plus and minus change its size, Enter selects", false);
  } else return false;
  return true;
}

function anywhere(app: App, event: KeyboardEvent): boolean {
  const acts: Record<string, () => void> = {
    Escape: () => app.selection.clear(),
    "0": () => app.reset(),
    i: () => app.selection.invert(),
    l: () => app.setTool("lasso"),
    p: () => app.setTool("pan"),
    k: () => app.toggleLink(),
    s: () => app.toggleDensity(),
    f: () => app.factor?.takeSelection(),
    e: () => app.factor?.keepSelection(),
    d: () => app.factor && app.drawing.start(app.factor.wanted, app.factor.keep),
    x: () => app.drawing.stop(),
    c: () => saveCsv(app),
    "?": () => app.layout.help.showModal(),
  };
  const act = acts[event.key];
  act?.();
  return Boolean(act);
}
