// How many points to draw while the picture moves: as many as this machine draws smoothly.

const SLOW = 60, QUICK = 24; // milliseconds between two pictures
const LEAST = 20_000;

export class Motion {
  private budget = 60_000;
  private last = -Infinity;
  private apart = 0; // milliseconds between the last two moving pictures

  constructor(private n: number) {}

  // The share of points to draw in the next frame, by how long the last ones took.
  share(): number {
    const now = performance.now(), apart = now - this.last;
    this.last = now;
    this.apart = apart < 3000 ? apart : 0;
    if (apart > SLOW && apart < 3000) this.budget = Math.max(LEAST, (this.budget * SLOW) / apart);
    else if (apart < QUICK && apart > 4) this.budget = Math.min(2 * this.n, this.budget * 1.5);
    return Math.min(1, this.budget / this.n);
  }

  // Milliseconds without a change after which all points are drawn.
  get rest(): number {
    return Math.max(120, 2.5 * this.apart);
  }
}
