// Times of steps, and the derived statuses.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isTerminalPhase, OPEN, RUNNING, SUSPENDED, WAITING } from "../../src/state/phase.ts";
import { stepCount, type State } from "../../src/state/state.ts";
import { createState, durationUntil, fold, stepSnapshot, type Event, type StepEnd } from "../../src/index.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow, type Workflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { disturb, EVERYTHING } from "./happenings.ts";

it("STATE-2 a waiting step shows as queued exactly if admission was requested, and as ready if a hold prevents it", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const driver = new Driver(makeWorkflow(shape));
      const { state } = driver;
      driver.onTurn = ({ happening }) => {
        for (let step = 0; step < stepCount(state); step++) {
          if (state.columns.phase[step] !== WAITING) continue;
          const { status } = stepSnapshot(state, step);
          const isAsked = state.columns.queued[step] === 1;
          expect(status === "queued", `step ${step} after ${JSON.stringify(happening)}`).toBe(isAsked);
          if (status === "ready") expect(state.hold).toBeDefined();
        }
      };
      driver.begin();
      disturb(driver, new Choices(course), EVERYTHING, 40);
    }),
    runs(300),
  );
});

interface Times {
  startedAt: number | undefined;
  endedAt: number | undefined;
}

const BEGUN: ReadonlySet<number> = new Set([RUNNING, SUSPENDED, OPEN]);
const ENDS: ReadonlySet<string> = new Set(["step.completed", "step.failed", "step.skipped", "step.cancelled"]);

/** The times computed from the phases of a journal, event by event, and the duration of each step that an event ended. */
function timesAlong(workflow: Workflow, journal: readonly Event[]): { times: Times[]; durations: Map<number, number> } {
  const state = createState(workflow.program, workflow.library);
  const times: Times[] = [];
  const durations = new Map<number, number>();
  for (const event of journal) {
    const before = [...state.columns.phase.subarray(0, stepCount(state))];
    fold(state, event);
    for (let step = 0; step < stepCount(state); step++) {
      const phase = state.columns.phase[step]!;
      times[step] ??= { startedAt: undefined, endedAt: undefined };
      if (before[step] !== phase) along(times, step, { from: before[step], to: phase, event });
    }
    if (!ENDS.has(event.kind)) continue;
    const { startedAt, endedAt } = times[(event as StepEnd).step]!;
    if (startedAt !== undefined) durations.set(event.seq, endedAt! - startedAt);
  }
  return { times, durations };
}

function along(times: Times[], step: number, move: { from: number | undefined; to: number; event: Event }): void {
  const { from, to, event } = move;
  const own = times[step]!;
  if (from !== undefined && isTerminalPhase(from)) times[step] = { startedAt: undefined, endedAt: undefined };
  if (from === undefined) return;
  const isDirect = event.kind === "step.completed" || event.kind === "step.failed";
  if (BEGUN.has(to) || isDirect) times[step]!.startedAt ??= event.at;
  if (isTerminalPhase(to)) own.endedAt = event.at;
}

function shownTimes(state: State, step: number): Times & { status: string; durationMs: number | undefined } {
  const { status, startedAt, completedAt, durationMs } = stepSnapshot(state, step);
  return { status, startedAt, endedAt: completedAt, durationMs };
}

it("STATE-4 JOURNAL-2 a step's time goes from its first start in a round to its end, attempts, backoffs and losses included", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const workflow = makeWorkflow(shape);
      const driver = new Driver(workflow);
      driver.begin();
      disturb(driver, new Choices(course), EVERYTHING, 60);
      const { times, durations } = timesAlong(workflow, driver.journal);
      times.forEach(({ startedAt, endedAt }, step) => {
        const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
        expect(shownTimes(driver.state, step)).toMatchObject({ startedAt, endedAt, durationMs });
      });
      for (const event of driver.journal)
        if (ENDS.has(event.kind))
          expect(durationUntil(driver.state, event as StepEnd), JSON.stringify(event)).toBe(durations.get(event.seq));
      expect(times.length).toBe(stepCount(driver.state));
    }),
    runs(600),
  );
});
