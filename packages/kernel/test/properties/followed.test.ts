// The state that a view follows, and the numbers that it shows.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  createState,
  failedStep,
  FollowedState,
  foldAll,
  isCountedStep,
  stepSnapshot,
  stepRelations,
  toSnapshot,
  type Event,
  type State,
  type StepStatus,
} from "../../src/index.ts";
import { instanceIndex } from "../../src/state/region.ts";
import { stepCount } from "../../src/state/state.ts";
import { findRegion } from "../../src/state/step-position.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow, type Workflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { disturb, EVERYTHING } from "./happenings.ts";

const ACTIVE: ReadonlySet<StepStatus> = new Set(["running", "retrying", "suspended", "cancelling"]);
const ENDED: ReadonlySet<StepStatus> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

function drive(shape: Uint8Array, course: Uint8Array): { workflow: Workflow; journal: readonly Event[] } {
  const workflow = makeWorkflow(shape);
  const driver = new Driver(workflow);
  driver.begin();
  disturb(driver, new Choices(course), EVERYTHING, 80);
  return { workflow, journal: driver.journal };
}

/** The same numbers, by reading every step. */
function numbers(state: State): object {
  const toRelation = stepRelations(state);
  const present: StepStatus[] = [];
  const counted: StepStatus[] = [];
  const items = new Set<string>();
  const active = new Set<number>();
  for (let step = 0; step < stepCount(state); step++) {
    const { status } = stepSnapshot(state, step);
    if (ACTIVE.has(status)) active.add(step);
    if (toRelation(step) === undefined) continue;
    present.push(status);
    if (isCountedStep(state, step)) counted.push(status);
    const item = outermostItem(state, step);
    if (item !== undefined) items.add(item);
  }
  const ended = counted.filter((status) => ENDED.has(status)).length;
  return {
    active,
    total: counted.length,
    ended,
    items: items.size,
    failed: present.filter((status) => status === "failed").length,
  };
}

/** The item of the outermost map around a step; undefined outside of maps, in a repetition and in a compensation. */
function outermostItem(state: State, step: number): string | undefined {
  let item: string | undefined;
  for (let current = step; current >= 0;) {
    const region = findRegion(state, current);
    if (region.kind === "compensation" || region.kind === "iteration") return undefined;
    if (region.kind === "items") item = `${region.base} ${instanceIndex(region, current)}`;
    current = region.parent;
  }
  return item;
}

function shownNumbers(followed: FollowedState): object {
  return {
    active: new Set(followed.active),
    total: followed.progress.total,
    ended: followed.progress.ended,
    items: followed.progress.items,
    failed: followed.count("failed"),
  };
}

it("JOURNAL-2 STATE-9 a followed state has after each event the numbers that reading every step gives", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const { workflow, journal } = drive(shape, course);
      const followed = new FollowedState(createState(workflow.program, workflow.library));
      for (const event of journal) {
        expect(followed.apply(event)).toBe(true);
        expect(shownNumbers(followed), `after ${JSON.stringify(event)}`).toEqual(numbers(followed.state));
      }
    }),
    runs(300),
  );
});

it("JOURNAL-2 a followed state may begin at any event, and an event that it has folded changes nothing", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), fc.nat(100), (shape, course, share) => {
      const { workflow, journal } = drive(shape, course);
      const begun = journal.slice(0, Math.floor((journal.length * share) / 100));
      const followed = new FollowedState(foldAll(createState(workflow.program, workflow.library), begun));
      for (const event of journal) expect(followed.apply(event)).toBe(event.seq > begun.length);
      const whole = foldAll(createState(workflow.program, workflow.library), journal);
      expect(toSnapshot(followed.state)).toEqual(toSnapshot(whole));
      expect(shownNumbers(followed)).toEqual(numbers(whole));
    }),
    runs(200),
  );
});

it("STATE-10 the step that made an execution fail has itself failed, and no scope inside it failed because of a child", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const { workflow, journal } = drive(shape, course);
      const state = foldAll(createState(workflow.program, workflow.library), journal);
      const step = failedStep(state);
      if (step === undefined || state.baseStatus !== "failed") return;
      expect(stepSnapshot(state, step).status).toBe("failed");
      expect(state.regions.findLast(({ parent }) => parent === step)?.failure?.child).toBeUndefined();
    }),
    runs(300),
  );
});
