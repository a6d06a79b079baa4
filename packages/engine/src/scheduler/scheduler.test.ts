import { expect, it } from "vitest";
import { Line, Place } from "../line.ts";
import { Account, Scheduler } from "./scheduler.ts";

class Named extends Place {
  readonly name: number;

  constructor(name: number) {
    super();
    this.name = name;
  }
}

it("SCHED-2 a line gives the first that fits, whoever has stepped out", () => {
  const line = new Line<Named>();
  const items = Array.from({ length: 5000 }, (_, name) => new Named(name));
  for (const item of items) line.add(item);
  for (const item of items) if (item.name % 3 !== 0) line.delete(item);
  const seen: number[] = [];
  for (let first = line.find(() => true); first !== undefined; first = line.find(() => true)) {
    seen.push(first.name);
    line.delete(first);
  }
  expect(seen).toEqual(items.map(({ name }) => name).filter((name) => name % 3 === 0));
  expect(line.size).toBe(0);
});

it("SCHED-3 a request that its limit holds back does not hold back those behind it", () => {
  const granted: string[] = [];
  const scheduler = new Scheduler<string>({ slots: 2, perAgent: 1 }, (owner, step) => granted.push(`${owner}${step}`));
  const [a, b] = [new Account("a"), new Account("b")];
  scheduler.request(a, 1, "x");
  scheduler.request(a, 2, "x");
  scheduler.request(b, 1, undefined);
  scheduler.request(b, 2, undefined);
  expect(granted).toEqual(["a1", "b1"]);
  scheduler.release(b, 1);
  expect(granted).toEqual(["a1", "b1", "b2"]);
  scheduler.release(a, 1);
  expect(granted).toEqual(["a1", "b1", "b2", "a2"]);
  scheduler.forget(a);
  scheduler.forget(b);
  expect([scheduler.used, scheduler.waiting]).toEqual([0, 0]);
});
