// The content of the journal, and the data that is derived from it.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { notUndone } from "../../src/state/compensation.ts";
import { isTerminalPhase, isTerminalStatus, PHASES } from "../../src/state/phase.ts";
import { isUndoing } from "../../src/state/permission.ts";
import { isScope, findRegion, lastChildRegion } from "../../src/state/step-position.ts";
import { stepCount, type State } from "../../src/state/state.ts";
import {
  createState,
  fold,
  foldAll,
  readEvent,
  toSnapshot,
  stepSnapshot,
  listTimers,
  type Event,
  type Json,
} from "../../src/index.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow, type Workflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { durableState } from "./durable-state.ts";
import { disturb, EVERYTHING } from "./happenings.ts";
import { violations } from "./invariants.ts";

/** A run with all features, until `isEnough`; with `isFinished` it runs to its end. */
function drive(
  shape: Uint8Array,
  course: Uint8Array,
  isFinished: boolean,
  isEnough: (driver: Driver) => boolean = () => false,
): { workflow: Workflow; driver: Driver } {
  const workflow = makeWorkflow(shape);
  const driver = new Driver(workflow);
  driver.begin();
  const choices = new Choices(course);
  for (let turn = 0; turn < 120 && !choices.isUsedUp && !isEnough(driver); turn++)
    disturb(driver, choices, EVERYTHING, 1);
  if (isFinished) expect(driver.finish(choices)).toBeUndefined();
  return { workflow, driver };
}

/** As a store returns it. */
function reread(events: readonly Event[]): Event[] {
  return (JSON.parse(JSON.stringify(events)) as Json[]).map((row) => {
    const read = readEvent(row);
    if (read.kind !== "event") throw new Error(read.message);
    return read.event;
  });
}

it("JOURNAL-2 folding the journal gives the live state, also when it was written and read in between", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const { workflow, driver } = drive(shape, course, false);
      const folded = foldAll(createState(workflow.program, workflow.library), reread(driver.journal));
      expect(durableState(folded)).toEqual(durableState(driver.state));
      expect(toSnapshot(folded)).toEqual(toSnapshot(driver.state));
      expect(listTimers(folded)).toEqual(listTimers(driver.state));
    }),
    runs(1000),
  );
});

it("JOURNAL-2 JOURNAL-3 an execution recovered after any turn ends, and ended steps stay as they were", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), fc.nat(1000), bytes(40), (shape, course, cut, rest) => {
      const { workflow, driver } = drive(shape, course, false);
      const kept = driver.turns.slice(0, 1 + (cut % driver.turns.length)).flatMap(({ events }) => events);
      const state = foldAll(createState(workflow.program, workflow.library), reread(kept));
      const settled = settledSteps(state);
      const wasEnded =
        state.baseStatus === "completed" || state.baseStatus === "failed" || state.baseStatus === "cancelled";
      const recovered = new Driver(workflow, state);
      recovered.adoptValues(driver);
      recovered.recover();
      expect(violations(state)).toEqual([]);
      if (state.baseStatus === "pending") recovered.bring({ kind: "begin" });
      expect(recovered.finish(new Choices(rest))).toBeUndefined();
      for (const [step, before] of settled) expect(settledStep(state, step)).toEqual(before);
      if (wasEnded) expect(recovered.journal).toEqual([]);
    }),
    runs(1000),
  );
});

function settledSteps(state: State): Map<number, unknown> {
  const settled = new Map<number, unknown>();
  for (let step = 0; step < stepCount(state); step++)
    if (isTerminalPhase(state.columns.phase[step]!)) settled.set(step, settledStep(state, step));
  return settled;
}

/** The end of a step; its dependencies may still be running. */
function settledStep(state: State, step: number): unknown {
  const { unmet: _, ...rest } = stepSnapshot(state, step);
  return rest;
}

it("JOURNAL-4 sequence numbers have no gaps and time never goes back, whatever the clocks say", () => {
  fc.assert(
    fc.property(bytes(300, 40), bytes(300, 40), (shape, course) => {
      const { driver } = drive(shape, course, false);
      driver.now = 0;
      driver.bring({ kind: "cancel", mode: "abort", reason: "with a clock that stands at 1970" });
      driver.journal.forEach((event, index) => {
        expect(event.seq).toBe(index + 1);
        if (index > 0) expect(event.at).toBeGreaterThanOrEqual(driver.journal[index - 1]!.at);
      });
    }),
    runs(200),
  );
});

/** Folds a journal event by event and reports the status of each step before and after. */
function eachMove(
  workflow: Workflow,
  journal: readonly Event[],
  tell: (event: Event, step: number, from: string | undefined, to: string, state: State) => void,
): void {
  const state = createState(workflow.program, workflow.library);
  for (const event of journal) {
    const before = [...state.columns.phase.subarray(0, stepCount(state))];
    fold(state, event);
    for (let step = 0; step < stepCount(state); step++) {
      const to = state.columns.phase[step]!;
      if (to !== before[step]) {
        const from = before[step];
        tell(event, step, from === undefined ? undefined : PHASES[from]!, PHASES[to]!, state);
      }
    }
  }
}

const TERMINAL: ReadonlySet<string | undefined> = new Set(["succeeded", "failed", "skipped", "cancelled"]);

/** Possible events after the end: a new round after a failure, and the rest of the compensation after a failure or a cancellation. */
const AFTER_THE_END: readonly string[] = [
  "execution.failed execution.reopened",
  "execution.completed execution.reopened",
  "execution.failed execution.compensating",
  "execution.cancelled execution.compensating",
];

it("STATE-2 FAIL-8 terminal states change only by a round, and those of an execution also to undo the remaining steps", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(400, 60), (shape, course) => {
      const { workflow, driver } = drive(shape, course, true);
      eachMove(workflow, driver.journal, (event, step, from) => {
        if (TERMINAL.has(from)) expect(event.kind, `step ${step}`).toBe("execution.reopened");
      });
      let ended: string | undefined;
      for (const event of driver.journal) {
        if (ended !== undefined) expect(AFTER_THE_END).toContain(`${ended} ${event.kind}`);
        ended = /^execution\.(?:completed|failed|cancelled)$/u.test(event.kind) ? event.kind : undefined;
      }
    }),
    runs(600),
  );
});

it("STATE-9 a scope settles exactly once each time it opened, and after all its children", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(400, 60), (shape, course) => {
      const { workflow, driver } = drive(shape, course, true);
      const open = new Set<number>();
      eachMove(workflow, driver.journal, (_event, step, from, to, state) => {
        if (to === "open") {
          expect(open.has(step)).toBe(false);
          open.add(step);
        } else if (TERMINAL.has(to) && open.delete(step)) {
          expect(lastChildRegion(state, step).unsettled).toBe(0);
        } else expect(from === "open" && to !== "cancelling").toBe(false);
      });
      expect([...open]).toEqual([]);
    }),
    runs(600),
  );
});

it("STATE-4 every slot that was granted is released exactly once, on every path", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(400, 60), (shape, course) => {
      const workflow = makeWorkflow(shape);
      const driver = new Driver(workflow);
      const held = new Map<number, number>();
      const asked = new Set<number>();
      driver.onTurn = ({ happening, effects }) => {
        if (happening.kind === "granted") held.set(happening.step, (held.get(happening.step) ?? 0) + 1);
        for (const effect of effects) {
          if (effect.kind === "release") held.set(effect.step, (held.get(effect.step) ?? 0) - 1);
          if (effect.kind === "admit" || effect.kind === "resolve-definition") {
            expect(asked.has(effect.step), `step ${effect.step} is asked for twice`).toBe(false);
            asked.add(effect.step);
          }
          if (effect.kind === "withdraw" && effect.step === undefined) asked.clear();
          if (effect.kind === "withdraw" && effect.step !== undefined) expect(asked.delete(effect.step)).toBe(true);
        }
        for (const step of asked) if (driver.state.columns.queued[step] === 0) asked.delete(step);
        for (const [step, slots] of held) expect([step, slots]).toEqual([step, isAttempt(driver.state, step) ? 1 : 0]);
      };
      driver.begin();
      const choices = new Choices(course);
      disturb(driver, choices);
      expect(driver.finish(choices)).toBeUndefined();
      expect([...held.values()].filter((slots) => slots !== 0)).toEqual([]);
    }),
    runs(600),
  );
});

/** Attempts that hold a slot: running, or told to stop and not stopped. */
function isAttempt(state: State, step: number): boolean {
  const phase = PHASES[state.columns.phase[step]!];
  return phase === "running" || (phase === "cancelling" && !isScope(state, step));
}

it("CANCEL-5 the end of each step that ran is written down for itself, and says whether it was by force", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(400, 60), (shape, course) => {
      const { workflow, driver } = drive(shape, course, true);
      eachMove(workflow, driver.journal, (event, step, from, to) => {
        if (from !== "running" && from !== "cancelling") return;
        if (event.kind === "steps.cancelling") return;
        expect("step" in event ? event.step : event.kind).toBe(step);
        if (to === "cancelled")
          expect(event).toMatchObject({ kind: "step.cancelled", ended: /^(?:itself|by-force)$/u });
      });
    }),
    runs(300),
  );
});

it("LEASE-2 a result under another epoch changes nothing", () => {
  fc.assert(
    fc.property(bytes(300, 40), bytes(200, 40), (shape, course) => {
      const { driver } = drive(shape, course, false);
      const before = durableState(driver.state);
      for (let step = 0; step < stepCount(driver.state); step++) {
        for (const epoch of [-1, 0, 1, 2, 3, 9].filter((each) => each !== driver.state.columns.epoch[step])) {
          const outcome = { kind: "succeeded", output: { kind: "inline", json: "stale" } } as const;
          const late = { step: step as never, epoch };
          expect(driver.bring({ kind: "ended", ...late, outcome })).toMatchObject({ events: [], isIgnored: true });
          expect(driver.bring({ kind: "lost", ...late, reason: "" })).toMatchObject({ events: [], isIgnored: true });
        }
      }
      expect(durableState(driver.state)).toEqual(before);
    }),
    runs(150),
  );
});

it("FAIL-8 compensation undoes every succeeded step that can be undone, newest first, one after the other", () => {
  fc.assert(
    fc.property(bytes(400, 60), bytes(300, 60), (shape, course) => {
      const { workflow, driver } = drive(shape, course, true);
      const state = createState(workflow.program, workflow.library);
      let succeeded: number[] = [];
      let regionsBefore = 0;
      for (const event of driver.journal) {
        if (event.kind === "execution.compensating") expect(event.steps).toEqual(left(state, succeeded, regionsBefore));
        fold(state, event);
        if (event.kind === "execution.failed" || event.kind === "execution.cancelled")
          expect(event.notUndone ?? []).toEqual(left(state, tried(state, regionsBefore), regionsBefore));
        if (event.kind === "step.completed") succeeded.push(event.step);
        if (event.kind === "execution.reopened") {
          succeeded = standing(state, succeeded).filter((step) => !wasUndone(state, step, regionsBefore));
          regionsBefore = state.regions.length;
        }
        checkChain(state);
      }
    }),
    runs(600),
  );
});

it("FAIL-8 STATE-2 undoing the remaining steps again changes nothing else, and the execution ends as it had ended", () => {
  fc.assert(
    fc.property(bytes(400, 60), bytes(300, 60), bytes(40), (shape, course, rest) => {
      const { driver } = drive(shape, course, true, ({ state }) => isLeft(state));
      const { state } = driver;
      const before = ownSteps(state);
      const [was, round, failure] = [state.baseStatus, state.round, state.failure];
      const wanted = notUndone(state);
      const asked = driver.bring({ kind: "retry", undo: true });
      expect(asked.isIgnored).toBe(wanted.length === 0);
      if (asked.isIgnored) return;
      expect(driver.finish(new Choices(rest))).toBeUndefined();
      expect([state.baseStatus, state.round, state.failure, state.deadline]).toEqual([was, round, failure, undefined]);
      expect(ownSteps(state)).toEqual(before);
      expect(wanted).toEqual(expect.arrayContaining([...notUndone(state)]));
    }),
    runs(600),
  );
});

function isLeft(state: State): boolean {
  return isTerminalStatus(state.baseStatus) && notUndone(state).length > 0;
}

/** All steps but compensations, as people see them. */
function ownSteps(state: State): readonly unknown[] {
  return Array.from({ length: stepCount(state) }, (_, step) => step)
    .filter((step) => !isUndoing(state, findRegion(state, step)))
    .map((step) => stepSnapshot(state, step));
}

/** Steps that have succeeded, can be undone, and are not undone. */
function standing(state: State, succeeded: readonly number[]): number[] {
  return succeeded.filter((step) => {
    const region = state.regions.findLast(({ base }) => base <= step)!;
    const compiled = region.program.steps[(step - region.base) % region.stride]!;
    return (
      !isUndoing(state, findRegion(state, step)) &&
      compiled.compensation !== undefined &&
      PHASES[state.columns.phase[step]!] === "succeeded"
    );
  });
}

/** Succeeded steps that were not undone in this round, newest first. */
function left(state: State, succeeded: readonly number[], regionsBefore: number): number[] {
  return standing(state, succeeded)
    .filter((step) => !wasUndone(state, step, regionsBefore))
    .toReversed();
}

/** The steps that were to be undone in this round, oldest first. */
function tried(state: State, regionsBefore: number): readonly number[] {
  const first = state.regions.slice(regionsBefore).find(({ kind }) => kind === "compensation");
  return first?.undoes.toReversed() ?? [];
}

/** In the round that has just ended. */
function wasUndone(state: State, step: number, regionsBefore: number): boolean {
  return state.regions
    .slice(regionsBefore)
    .some(({ undoes, base }) =>
      undoes.some(
        (undone, position) =>
          undone === step && ["succeeded", "skipped"].includes(PHASES[state.columns.phase[base + position]!]!),
      ),
    );
}

function checkChain(state: State): void {
  for (const { kind, base, size } of state.regions) {
    if (kind !== "compensation") continue;
    const busy = [...state.columns.phase.subarray(base, base + size)].filter(
      (phase) => !isTerminalPhase(phase) && PHASES[phase] !== "waiting",
    );
    expect(busy.length).toBeLessThanOrEqual(1);
  }
}
