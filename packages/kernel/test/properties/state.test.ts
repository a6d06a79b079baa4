// Any sequence of happenings, on any workflow.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { stepCount } from "../../src/state/state.ts";
import { decide, epochMs, toSnapshot, type Happening } from "../../src/index.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { wholeState } from "./durable-state.ts";
import { disturb, nonsense } from "./happenings.ts";
import { violations } from "./invariants.ts";

it("STATE-2 STATE-3 any sequence of happenings keeps the invariants", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(500, 60), (shape, course) => {
      const driver = new Driver(makeWorkflow(shape));
      driver.onTurn = ({ happening }) => {
        expect(violations(driver.state), `after ${JSON.stringify(happening)}`).toEqual([]);
        toSnapshot(driver.state);
      };
      driver.begin();
      disturb(driver, new Choices(course));
    }),
    runs(3000),
  );
});

it("STATE-12 every execution ends when everything outstanding has come, and never by a deadlock", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300), (shape, course) => {
      const driver = new Driver(makeWorkflow(shape));
      driver.begin();
      const choices = new Choices(course);
      disturb(driver, choices);
      expect(driver.finish(choices)).toBeUndefined();
      expect(violations(driver.state)).toEqual([]);
      const failures = driver.journal.filter((event) => event.kind === "execution.failed");
      expect(failures.filter(({ failure }) => failure.code === "DEADLOCK")).toEqual([]);
    }),
    runs(3000),
  );
});

it("STATE-11 the same sequence twice gives the same journal and the same effects, byte for byte", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const run = (): string => {
        const driver = new Driver(makeWorkflow(shape));
        driver.begin();
        disturb(driver, new Choices(course));
        return JSON.stringify(driver.turns);
      };
      expect(run()).toBe(run());
    }),
    runs(300),
  );
});

it("STATE-11 deciding does not change the state, and returns a reply to every happening in every state", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(200, 40), bytes(60, 20), (shape, course, other) => {
      const driver = new Driver(makeWorkflow(shape));
      driver.begin();
      disturb(driver, new Choices(course), { control: true, trouble: true, noise: true }, 40);
      const before = wholeState(driver.state);
      for (const happening of anything(driver, new Choices(other))) decide(driver.state, happening, driver.values);
      expect(wholeState(driver.state)).toEqual(before);
    }),
    runs(300),
  );
});

/** One of each kind, and some nonsense. */
function anything(driver: Driver, choices: Choices): Happening[] {
  const at = epochMs(driver.now);
  const earlier = driver.turns.map(({ happening }) => happening);
  const made = Array.from({ length: 12 }, () => ({ ...nonsense(driver, choices), at }));
  const live = [...driver.attempts].map(
    ([step, epoch]): Happening =>
      ({ kind: "ended", at, step, epoch, outcome: { kind: "skipped", message: "" } }) as Happening,
  );
  expect(stepCount(driver.state)).toBeGreaterThan(0);
  return [
    ...earlier,
    ...made,
    ...live,
    { kind: "cancel", at, mode: "abort", reason: "" },
    { kind: "cancel", at, mode: "drain", reason: "" },
    { kind: "pause", at },
    { kind: "resume", at },
    { kind: "park", at, cause: "journal-limit", reason: "" },
    { kind: "retry", at },
  ];
}
