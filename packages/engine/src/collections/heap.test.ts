import * as fc from "fast-check";
import { expect, it } from "vitest";
import { comesBefore, Heap, Ranked } from "./heap.ts";
import { FifoSteps, RankedSteps, type Steps } from "../scheduler/steps.ts";
import { StepPositions } from "../scheduler/step-positions.ts";

function ranked(key: number, tieBreakSeq: number, stepRank: number, since: number): Ranked {
  return Object.assign(new Ranked(), { key, tieBreakSeq, stepRank, since });
}

const digits = fc.nat(3);
const items = fc.array(fc.tuple(digits, digits, digits, fc.nat(1000)), { minLength: 1, maxLength: 60 });

it("SCHED-2 a heap gives the first, whoever left or changed its rank meanwhile", () => {
  fc.assert(
    fc.property(items, fc.array(fc.tuple(fc.nat(60), fc.integer({ min: -1, max: 3 }))), (ranks, changes) => {
      const heap = new Heap<Ranked>();
      const all = ranks.map((rank) => ranked(...rank));
      for (const item of all) heap.add(item);
      for (const [nth, key] of changes) {
        const item = all[nth % all.length]!;
        if (item.index < 0) continue;
        if (key < 0) heap.delete(item);
        else {
          item.key = key;
          heap.reposition(item);
        }
      }
      const left = all.filter(({ index }) => index >= 0).toSorted((a, b) => (comesBefore(a, b) ? -1 : 1));
      expect(heap.size).toBe(left.length);
      for (const item of left) {
        const first = heap.first!;
        expect([first.key, first.tieBreakSeq, first.stepRank, first.since]).toEqual([
          item.key,
          item.tieBreakSeq,
          item.stepRank,
          item.since,
        ]);
        heap.delete(first);
      }
    }),
    { numRuns: 300 },
  );
});

/** Compares a claim queue of steps with a plain list. */
function checkAgainstList(make: (positions: StepPositions) => Steps, rankOf: (step: number) => number): void {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(200)), { maxLength: 400 }), (acts) => {
      const [positions, list] = [new StepPositions(), [] as { step: number; since: number }[]];
      const steps = make(positions);
      acts.forEach(([isAdded, step], since) => {
        const at = list.findIndex((each) => each.step === step);
        if (isAdded && at < 0) {
          steps.add(step, since, rankOf(step));
          list.push({ step, since });
          list.sort((a, b) => rankOf(a.step) - rankOf(b.step) || a.since - b.since);
        } else if (!isAdded && list.length > 0) {
          const left = at < 0 ? 0 : at;
          steps.delete(list[left]!.step);
          list.splice(left, 1);
        }
        expect(steps.size).toBe(list.length);
        if (list.length > 0) expect([steps.first, steps.since]).toEqual([list[0]!.step, list[0]!.since]);
      });
      list.forEach(({ step, since }, index) => {
        expect(steps.countBefore(since, rankOf(step))).toBe(index);
        expect([steps.waitingSince(step), positions.queueAt(step)]).toEqual([since, 1]);
      });
      const seen: number[] = [];
      steps.visit((step) => seen.push(step));
      expect(seen).toEqual(list.map(({ step }) => step));
    }),
    { numRuns: 100 },
  );
}

it("SCHED-2 steps of a lane are first in, first out, whoever leaves from the middle", () => {
  checkAgainstList(
    (positions) => new FifoSteps(positions, 1),
    () => 0,
  );
});

it("SCHED-2 steps of a lane find their places when many before them have gone", () => {
  const steps = new FifoSteps(new StepPositions(), 1);
  for (let step = 0; step < 1000; step++) steps.add(step, step);
  for (let step = 0; step < 900; step++) {
    expect(steps.first).toBe(step);
    steps.delete(step);
  }
  for (let step = 900; step < 999; step++) if (step % 5 !== 0) steps.delete(step);
  const seen: number[] = [];
  steps.visit((step) => seen.push(step));
  expect(seen).toEqual([...Array.from({ length: 20 }, (_, index) => 900 + index * 5), 999]);
});

it("SCHED-5 steps with ranks come by rank, then first in, first out", () => {
  checkAgainstList(
    (positions) => new RankedSteps(positions, 1),
    (step) => step % 5,
  );
});
