import { describe, expect, it } from "vitest";
import { Fifo } from "./fifo.ts";

describe("a first-in first-out queue", () => {
  it("gives 100,000 items back in their order, also while others are added", () => {
    const fifo = new Fifo<number>();
    const taken: number[] = [];
    for (let number = 0; number < 100_000; number++) {
      fifo.add(number);
      if (number % 3 === 0) taken.push(fifo.take()!);
    }
    while (fifo.size > 0) taken.push(fifo.take()!);
    expect(taken.every((number, index) => number === index)).toBe(true);
    expect([taken.length, fifo.take(), fifo.isEmpty]).toEqual([100_000, undefined, true]);
  });

  it("gives all that is left at once", () => {
    const fifo = new Fifo<string>();
    for (const item of ["a", "b", "c"]) fifo.add(item);
    fifo.take();
    expect([fifo.takeAll(), fifo.size]).toEqual([["b", "c"], 0]);
  });

  it("dequeues items in the order in which they were added, also after earlier dequeues", () => {
    const fifo = new Fifo<string>();
    fifo.add("b");
    fifo.addFirst("a");
    expect([fifo.first, fifo.peek(1)]).toEqual(["a", "b"]);
    fifo.drop();
    fifo.addFirst("c");
    expect(fifo.toArray()).toEqual(["c", "b"]);
  });
});
