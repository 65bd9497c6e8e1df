// Places on a map -> samples, by plain loops, which take milliseconds for a million samples.

export interface Picture {
  from: Uint16Array;
  to: Uint16Array;
  t: number;
}

const STEPS = 65535;

// Coordinates of a sample in the map's square, from 0 to 1.
export function place(picture: Picture, i: number): [number, number] {
  const { from, to, t } = picture;
  const x = from[2 * i] + t * (to[2 * i] - from[2 * i]);
  const y = from[2 * i + 1] + t * (to[2 * i + 1] - from[2 * i + 1]);
  return [x / STEPS, y / STEPS];
}

// The nearest visible sample within a radius; -1 if there is none.
export function nearest(picture: Picture, hidden: Uint8Array, x: number, y: number, reach: number): number {
  const { from, to, t } = picture;
  const px = x * STEPS, py = y * STEPS;
  let best = -1, least = (reach * STEPS) ** 2;
  for (let i = 0; i < hidden.length; i++) {
    const dx = from[2 * i] + t * (to[2 * i] - from[2 * i]) - px;
    if (dx * dx >= least) continue;
    const dy = from[2 * i + 1] + t * (to[2 * i + 1] - from[2 * i + 1]) - py;
    const apart = dx * dx + dy * dy;
    if (apart < least && !hidden[i]) {
      least = apart;
      best = i;
    }
  }
  return best;
}

const STRIPS = 128; // of a polygon: a sample is compared with the edges that cross its strip

// The samples inside a polygon (even-odd rule), in order; corners in the map's square.
export function inside(picture: Picture, hidden: Uint8Array, corners: [number, number][]): Uint32Array {
  const xs = Float64Array.from(corners, (c) => c[0] * STEPS), ys = Float64Array.from(corners, (c) => c[1] * STEPS);
  const left = Math.min(...xs), right = Math.max(...xs), low = Math.min(...ys), high = Math.max(...ys);
  const scale = STRIPS / (high - low || 1), strip = (y: number) => Math.min(STRIPS - 1, Math.floor((y - low) * scale));
  const edges: number[][] = Array.from({ length: STRIPS }, () => []);
  for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
    for (let s = strip(Math.min(ys[a], ys[b])); s <= strip(Math.max(ys[a], ys[b])); s++) edges[s].push(a, b);
  }
  const { from, to, t } = picture;
  const found = new Uint32Array(hidden.length);
  let count = 0;
  for (let i = 0; i < hidden.length; i++) {
    const x = from[2 * i] + t * (to[2 * i] - from[2 * i]);
    if (x < left || x > right || hidden[i]) continue;
    const y = from[2 * i + 1] + t * (to[2 * i + 1] - from[2 * i + 1]);
    if (y < low || y > high) continue;
    const near = edges[strip(y)];
    let odd = false;
    for (let k = 0; k < near.length; k += 2) {
      const a = near[k], b = near[k + 1];
      if (ys[a] > y !== ys[b] > y && x < ((xs[b] - xs[a]) * (y - ys[a])) / (ys[b] - ys[a]) + xs[a]) odd = !odd;
    }
    if (odd) found[count++] = i;
  }
  return found.slice(0, count);
}
