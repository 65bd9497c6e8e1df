// The selected samples, and previous selections.

export type Mode = "replace" | "add" | "remove";

export class Selection {
  readonly chosen: Uint8Array;
  rows: Uint32Array = new Uint32Array(0);
  private past: Uint32Array[] = [];
  private heard: (() => void)[] = [];

  constructor(readonly n: number) {
    this.chosen = new Uint8Array(n);
  }

  get size(): number {
    return this.rows.length;
  }

  listen(hear: () => void): void {
    this.heard.push(hear);
  }

  set(rows: Iterable<number>, mode: Mode = "replace"): void {
    const before = this.rows;
    if (mode === "replace") this.chosen.fill(0);
    const value = mode === "remove" ? 0 : 1;
    for (const i of rows) this.chosen[i] = value;
    this.settle();
    this.past.push(before);
    if (this.past.length > 50) this.past.shift();
    this.tell();
  }

  invert(): void {
    this.set(Array.from(this.chosen.keys()).filter((i) => !this.chosen[i]));
  }

  clear(): void {
    if (this.size) this.set([]);
  }

  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.chosen.fill(0);
    for (const i of before) this.chosen[i] = 1;
    this.settle();
    this.tell();
  }

  private settle(): void {
    let count = 0;
    for (let i = 0; i < this.n; i++) count += this.chosen[i];
    this.rows = new Uint32Array(count);
    for (let i = 0, k = 0; i < this.n; i++) if (this.chosen[i]) this.rows[k++] = i;
  }

  private tell(): void {
    for (const hear of this.heard) hear();
  }
}

// One bit per sample, the first in the lowest bit, in base64: a million take 170 kB.
export function bits(rows: ArrayLike<number>, n: number): string {
  const packed = new Uint8Array(Math.ceil(n / 8));
  for (let k = 0; k < rows.length; k++) packed[rows[k] >> 3] |= 1 << (rows[k] & 7);
  let raw = "";
  for (let start = 0; start < packed.length; start += 8192) raw += String.fromCharCode(...packed.subarray(start, start + 8192));
  return btoa(raw);
}

// Decode the samples whose bits are set.
export function rowsOf(text: string, n: number): number[] {
  const raw = atob(text), rows: number[] = [];
  for (let i = 0; i < n; i++) if ((raw.charCodeAt(i >> 3) >> (i & 7)) & 1) rows.push(i);
  return rows;
}
