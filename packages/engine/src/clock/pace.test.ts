import { describe, expect, it } from "vitest";
import { Pace } from "./pace.ts";

/** Event loop ticks that the test controls. */
class Turns {
  #deferred: (() => void)[] = [];

  readonly defer = (work: () => void): void => void this.#deferred.push(work);

  async next(): Promise<void> {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const work of deferred) work();
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe("a pace", () => {
  it("lets the first ones go on at once", () => {
    const pace = new Pace(new Turns(), 3);
    expect([pace.wait(), pace.wait(), pace.wait()]).toEqual([undefined, undefined, undefined]);
    expect(pace.wait()).toBeInstanceOf(Promise);
  });

  it("serves a crowd in its order, so many in each turn of the event loop", async () => {
    const turns = new Turns();
    const pace = new Pace(turns, 3);
    const served: number[] = [];
    const come = async (number: number): Promise<void> => {
      const turn = pace.wait();
      if (turn !== undefined) await turn;
      served.push(number);
    };
    for (let number = 0; number < 8; number++) void come(number);
    const counts = [served.length];
    while (served.length < 8) {
      await turns.next();
      counts.push(served.length);
    }
    expect(counts).toEqual([3, 6, 8]);
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("lets the next ones go on at once when the event loop has turned and nobody waits", async () => {
    const turns = new Turns();
    const pace = new Pace(turns, 1);
    expect(pace.wait()).toBeUndefined();
    await turns.next();
    expect(pace.wait()).toBeUndefined();
  });

  it("is at rest when everybody was served and no turn of the event loop is to come", async () => {
    const turns = new Turns();
    const pace = new Pace(turns, 1);
    let isAtRest = false;
    await pace.whenIdle();
    const served = [pace.wait(), pace.wait()];
    void pace.whenIdle().then(() => (isAtRest = true));
    await turns.next();
    await served[1];
    expect(isAtRest).toBe(false);
    await turns.next();
    expect(isAtRest).toBe(true);
  });
});
