// What the page shows -> files: rows as CSV, maps as PNG or SVG.

import { type Column, idOf, type Model, show } from "./model";
import type { Pane } from "./pane";
import { opacity, pointSize } from "./points";
import { place } from "./pick";
import { css, type Shades } from "./color";
import { h } from "./dom";

// Few programs open an SVG with more points than this; it gets a bitmap instead.
const MOST_CIRCLES = 50_000;

export function toCsv(model: Model, rows: ArrayLike<number>): string {
  const lines = [["sample", ...model.columns.map((c) => c.name)].map(cell).join(",")];
  for (let k = 0; k < rows.length; k++) {
    lines.push([cell(idOf(model, rows[k])), ...model.columns.map((c) => value(c, rows[k]))].join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

function value(column: Column, i: number): string {
  return column.numbers.length && column.kind !== "dates" ? (Number.isNaN(column.numbers[i]) ? "" : String(column.numbers[i])) : cell(show(column, i));
}

// Spreadsheets run text that begins like a formula; an apostrophe in front prevents that.
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toPng(pane: Pane, background: string): Promise<Blob> {
  pane.draw();
  const whole = h("canvas", { width: pane.canvas.width, height: pane.canvas.height });
  const context = whole.getContext("2d")!;
  context.fillStyle = background;
  context.fillRect(0, 0, whole.width, whole.height);
  context.drawImage(pane.backdrop, 0, 0);
  context.drawImage(pane.canvas, 0, 0);
  return new Promise((done) => whole.toBlob((blob) => done(blob!), "image/png"));
}

export async function toSvg(pane: Pane, shades: Shades, hidden: Uint8Array, order: Uint32Array, chosen: Uint8Array, background: string): Promise<Blob> {
  const { width, height } = pane, round = (x: number) => Math.round(100 * x) / 100;
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`, `<rect width="100%" height="100%" fill="${background}"/>`];
  if (order.length > MOST_CIRCLES) {
    const bytes = new Uint8Array(await (await toPng(pane, background)).arrayBuffer());
    let raw = "";
    for (const byte of bytes) raw += String.fromCharCode(byte);
    parts.push(`<image width="${width}" height="${height}" href="data:image/png;base64,${btoa(raw)}"/>`);
  } else {
    const r = pointSize(order.length, Math.min(width, height), pane.view.zoom) / 2;
    const any = chosen.includes(1), solid = opacity(order.length, pane.view.zoom);
    for (const i of order) {
      const [x, y] = pane.toPixels(...place(pane.picture, i));
      if (hidden[i] || x < 0 || y < 0 || x > width || y > height) continue;
      const color = css(shades.table.subarray(4 * shades.shade[i], 4 * shades.shade[i] + 3));
      const look = any && chosen[i] ? ` stroke="#000" r="${round(r + 1)}"` : ` r="${round(r)}" opacity="${round(any ? 0.3 * solid : solid)}"`;
      parts.push(`<circle cx="${round(x)}" cy="${round(y)}" fill="${color}"${look}/>`);
    }
  }
  parts.push("</svg>");
  return new Blob([parts.join("\n")], { type: "image/svg+xml" });
}
