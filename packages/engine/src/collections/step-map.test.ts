import * as fc from "fast-check";
import { expect, it } from "vitest";
import { StepMap } from "./step-map.ts";

const change = fc.record({ step: fc.nat(40), value: fc.option(fc.string(), { nil: undefined }) });

it("STATE-4 what belongs to steps is what a map would say, whoever comes and goes", () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const [ours, map] = [new StepMap<string>(), new Map<number, string>()];
      for (const { step, value } of changes) {
        if (value === undefined) expect(ours.delete(step)).toBe(map.delete(step));
        else {
          ours.set(step, value);
          map.set(step, value);
        }
        expect([ours.size, ours.has(step), ours.get(step)]).toEqual([map.size, map.has(step), map.get(step)]);
      }
      expect([...ours]).toEqual([...map].toSorted(([one], [other]) => one - other));
    }),
  );
});

it("STATE-4 whoever leaves while all are visited is passed over", () => {
  const steps = new StepMap<string>();
  for (const step of [5, 1, 3]) steps.set(step, `s${step}`);
  const seen: string[] = [];
  for (const [step, value] of steps) {
    seen.push(value);
    steps.delete(step);
  }
  expect([seen, steps.size]).toEqual([["s1", "s3", "s5"], 0]);
});
