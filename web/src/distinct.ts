// What distinguishes a selection, for pages without Python: the same as `_distinct.py`.

import { type Column, type Model, showNumber } from "./model";
import type { Selection } from "./selection";

export interface Difference {
  column: string;
  words: string;
  effect: number;
  p: number;
}

export interface Found {
  found: Difference[];
  caption: string;
  note: string;
}

const MOST_RANKED = 50_000; // samples; of more, every so many are compared

const NOTE =
  "Effects lie between -1 and 1. p is corrected for the number of columns, but not for your having chosen the selection by eye: columns that shaped the map differ in any group it shows.";

export function distinguish(model: Model, selection: Selection): Found {
  const step = Math.ceil(model.n / MOST_RANKED), rows: number[] = [];
  for (let i = 0; i < model.n; i += step) rows.push(i);
  const differences = model.columns.map((column) => compare(column, selection.chosen, rows)).filter((d) => d !== null);
  correct(differences);
  differences.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
  const some = step > 1 ? `, by ${rows.length} of ${model.n} samples` : "";
  const caption = `${selection.size} samples against ${model.n - selection.size} others, ${differences.length} columns${some}`;
  return { found: differences, caption, note: NOTE };
}

function compare(column: Column, chosen: Uint8Array, all: number[]): Difference | null {
  if (column.kind === "text") return null;
  const rows = all.filter((i) => (column.kind === "groups" ? column.codes[i] > 0 : !Number.isNaN(column.numbers[i])));
  const inner = rows.filter((i) => chosen[i]).length;
  if (!inner || inner === rows.length) return null;
  return column.kind === "groups" ? compareGroups(column, chosen, rows, inner) : compareAmounts(column, chosen, rows, inner);
}

function compareGroups(column: Column, chosen: Uint8Array, rows: number[], inner: number): Difference {
  const n = rows.length, kinds = column.categories.length;
  const sizes = new Float64Array(kinds), inside = new Float64Array(kinds);
  for (const i of rows) {
    sizes[column.codes[i] - 1]++;
    inside[column.codes[i] - 1] += chosen[i];
  }
  const share = (k: number) => inside[k] / inner, other = (k: number) => (sizes[k] - inside[k]) / (n - inner);
  let best = 0;
  for (let k = 1; k < kinds; k++) if (share(k) - other(k) > share(best) - other(best)) best = k;
  const spread = sizes[best] * (n - sizes[best]) * inner * (n - inner);
  const effect = spread ? (inside[best] * n - sizes[best] * inner) / Math.sqrt(spread) : 0;
  const p = Math.min(1, kinds * atLeast(inside[best], n, sizes[best], inner));
  const percent = (value: number) => `${Math.round(100 * value)}%`;
  return { column: column.name, words: `${percent(share(best))} ${column.categories[best]} (${percent(other(best))})`, effect, p };
}

// Mann and Whitney's test, with the variance corrected for ties.
function compareAmounts(column: Column, chosen: Uint8Array, rows: number[], inner: number): Difference {
  const n = rows.length, values = column.numbers;
  const order = Uint32Array.from(rows).sort((a, b) => values[a] - values[b]);
  let sum = 0, variance = 0;
  for (let start = 0, end = 0; start < n; start = end) {
    while (end < n && values[order[end]] === values[order[start]]) end++;
    const rank = (start + end + 1) / 2;
    variance += (end - start) * (rank - (n + 1) / 2) ** 2;
    for (let k = start; k < end; k++) if (chosen[order[k]]) sum += rank;
  }
  const outer = n - inner, u = sum - (inner * (inner + 1)) / 2;
  const z = variance ? Math.abs(u - (inner * outer) / 2) / Math.sqrt(((inner * outer) / (n * (n - 1))) * variance) : 0;
  const middle = (kind: number) => showNumber(column, median(order, values, (i) => chosen[i] === kind));
  return { column: column.name, words: `${middle(1)} (${middle(0)})`, effect: (2 * u) / (inner * outer) - 1, p: erfc(z / Math.SQRT2) };
}

function median(order: Uint32Array, values: Float32Array, among: (i: number) => boolean): number {
  const some = order.filter(among);
  return (values[some[(some.length - 1) >> 1]] + values[some[some.length >> 1]]) / 2;
}

// Benjamini and Hochberg's correction, in place.
function correct(differences: Difference[]): void {
  const order = [...differences].sort((a, b) => b.p - a.p);
  let least = 1;
  order.forEach((difference, k) => {
    least = Math.min(least, (difference.p * order.length) / (order.length - k));
    difference.p = least;
  });
}

// Hypergeometric: the chance of drawing at least `a` of `size` marked among n, in `drawn` draws.
function atLeast(a: number, n: number, size: number, drawn: number): number {
  const choose = (m: number, k: number) => logGamma(m + 1) - logGamma(k + 1) - logGamma(m - k + 1);
  let term = Math.exp(choose(size, a) + choose(n - size, drawn - a) - choose(n, drawn)), total = 0;
  for (let x = a; x <= Math.min(size, drawn) && term > 1e-17 * total; x++) {
    total += term;
    term *= ((size - x) * (drawn - x)) / ((x + 1) * (n - size - drawn + x + 1));
  }
  return Math.min(1, total);
}

const LANCZOS = [76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179, -0.000005395239384953];

function logGamma(x: number): number {
  let series = 1.000000000190015;
  LANCZOS.forEach((c, k) => (series += c / (x + k + 1)));
  const shifted = x + 5.5;
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((2.5066282746310007 * series) / x);
}

const CHEBYSHEV = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];

// For a non-negative number; accurate to seven digits.
function erfc(z: number): number {
  const t = 1 / (1 + z / 2);
  return t * Math.exp(-z * z + CHEBYSHEV.reduceRight((sum, c) => c + t * sum, 0));
}
