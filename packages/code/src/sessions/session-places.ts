/** A limited number of places; who comes when all are taken waits in order. */
export class SessionPlaces {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Gives back how to leave; a second call has no effect. */
  async enter(): Promise<() => void> {
    if (this.taken >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.taken++;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.taken--;
      else next();
    };
  }
}
