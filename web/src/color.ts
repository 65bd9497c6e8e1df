// A column -> one byte a sample and the 256 colours it chooses from.

import type { Column, Model } from "./model";

export interface Shades {
  shade: Uint8Array; // a sample's colour
  table: Uint8Array; // 256 colours of red, green, blue and opacity
}

const MISSING = 255; // the last colour is that of samples without a value

export function paint(model: Model, column: Column | null): Shades {
  const shade = new Uint8Array(model.n);
  const table = new Uint8Array(1024).fill(255);
  setColor(table, MISSING, model.missing);
  if (!column || column.kind === "text") {
    setColor(table, 0, [0, 114, 178]);
    return { shade, table };
  }
  if (column.kind === "groups") {
    const place = distinctColors(column, table);
    for (let i = 0; i < shade.length; i++) shade[i] = column.codes[i] ? place[column.codes[i] - 1] : MISSING;
    return { shade, table };
  }
  const map = model.colormaps[column.kind === "cyclic" ? "cyclic" : "amounts"];
  for (let c = 0; c < 255; c++) setColor(table, c, map.subarray(3 * c, 3 * c + 3));
  for (let i = 0; i < shade.length; i++) {
    const place = fraction(column, column.numbers[i]);
    shade[i] = Number.isNaN(place) ? MISSING : Math.round(254 * place);
  }
  return { shade, table };
}

// Position of a number in its range, or on its circle: 0 to 1.
export function fraction(column: Column, value: number): number {
  const [low, high] = column.range;
  const place = (value - low) / (high - low || 1);
  return column.kind === "cyclic" ? place - Math.floor(place) : Math.min(1, Math.max(0, place));
}

// Groups beyond the distinguishable colours share one grey, so that a byte is enough.
function distinctColors(column: Column, table: Uint8Array): Uint8Array {
  const seen = new Map<string, number>();
  return Uint8Array.from(column.colors, (color) => {
    const name = color.join();
    if (!seen.has(name)) {
      seen.set(name, seen.size);
      setColor(table, seen.size - 1, color);
    }
    return seen.get(name)!;
  });
}

function setColor(table: Uint8Array, place: number, color: ArrayLike<number>): void {
  for (let k = 0; k < 3; k++) table[4 * place + k] = color[k];
}

export const css = (color: ArrayLike<number>) => `rgb(${color[0] | 0}, ${color[1] | 0}, ${color[2] | 0})`;
