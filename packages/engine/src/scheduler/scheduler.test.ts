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

it("SCHED-2 executions have their turns: one with many steps does not keep another waiting", () => {
  const granted: string[] = [];
  const scheduler = new Scheduler<string>({ slots: 1, perAgent: 9 }, (owner, step) => granted.push(`${owner}${step}`));
  const [a, b] = [new Account("a"), new Account("b")];
  for (let step = 1; step <= 200; step++) scheduler.request(a, step, undefined);
  scheduler.request(b, 1, undefined);
  scheduler.release(a, 1);
  scheduler.release(a, 2);
  scheduler.release(b, 1);
  expect(granted).toEqual(["a1", "a2", "b1", "a3"]);
});

it("SCHED-3 who is withdrawn is passed over, also when it asks again, and nothing is counted twice", () => {
  const granted: number[] = [];
  const scheduler = new Scheduler<string>({ slots: 1, perAgent: 9 }, (_, step) => granted.push(step));
  const a = new Account("a");
  for (let step = 1; step <= 5; step++) scheduler.request(a, step, undefined);
  scheduler.withdraw(a, 2, undefined);
  scheduler.withdraw(a, 4, undefined);
  scheduler.request(a, 2, undefined);
  expect(scheduler.waiting).toBe(3);
  scheduler.withdraw(a, 2, undefined);
  scheduler.request(a, 2, undefined);
  expect(scheduler.waiting).toBe(3);
  for (const step of [1, 2, 3, 5]) scheduler.release(a, step);
  expect(granted).toEqual([1, 2, 3, 5]);
  expect([scheduler.used, scheduler.waiting]).toEqual([0, 0]);
  scheduler.request(a, 6, undefined);
  scheduler.request(a, 7, undefined);
  // Its grant is on the way: it holds its slot and does not wait.
  scheduler.withdraw(a, 6, undefined);
  scheduler.release(a, 6);
  expect(granted.slice(-2)).toEqual([6, 7]);
});
