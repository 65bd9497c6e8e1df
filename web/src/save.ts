// Save buttons -> files, by the browser's download or by the server.

import type { App, Side } from "./app";
import { download } from "./dom";
import { toCsv, toPng, toSvg } from "./export";
import { bits } from "./selection";

export function saveCsv(app: App): void {
  const rows = app.selection.size ? app.selection.rows : Uint32Array.from({ length: app.n }, (_, i) => i);
  download("selection.csv", new Blob([toCsv(app.model, rows)], { type: "text/csv" }));
}

export async function savePng(app: App, side: Side): Promise<void> {
  download(`${side}.png`, await toPng(app.panes[side], background(app)));
}

export async function saveSvg(app: App, side: Side): Promise<void> {
  download(`${side}.svg`, await toSvg(app.panes[side], app.shades, app.hidden, app.order, app.selection.chosen, background(app)));
}

// Into the file that was chosen when the server was started.
export async function saveThere(app: App): Promise<void> {
  const answer = await app.drawing.request("save", { rows: bits(app.selection.rows, app.n) });
  if (answer) app.tell(answer.head.text, false);
}

const background = (app: App) => getComputedStyle(app.layout.element).backgroundColor;
