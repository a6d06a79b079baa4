// The coverage of the properties: the generated runs reach every entry of the tables.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { PHASES } from "../../src/state/phase.ts";
import { stepCount } from "../../src/state/state.ts";
import {
  createState,
  EVENT_KINDS,
  EXECUTION_TRANSITIONS,
  executionStatus,
  fold,
  STEP_TRANSITIONS,
  type StepStatus,
} from "../../src/index.ts";
import { bytes, Choices } from "./choices.ts";
import { makeWorkflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { disturb } from "./happenings.ts";

/** The journal does not distinguish these from the status before. */
const DURABLE: Readonly<Partial<Record<StepStatus, readonly StepStatus[]>>> = {
  ready: ["waiting"],
  queued: ["waiting", "retrying"],
};

it("STATE-2 the generated runs reach the transitions of the table and every kind of event", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(bytes(400, 40), bytes(500), (shape, course) => {
      const workflow = makeWorkflow(shape);
      const driver = new Driver(workflow);
      const choices = new Choices(course);
      driver.begin(choices.percent(2));
      disturb(driver, choices);
      driver.finish(choices);
      const state = createState(workflow.program, workflow.library);
      for (const event of driver.journal) {
        const phases = [...state.columns.phase.subarray(0, stepCount(state))];
        const status = executionStatus(state);
        fold(state, event);
        reached.add(event.kind);
        phases.forEach((phase, step) => reached.add(`${PHASES[phase]} ${event.kind} ${statusOfPhase(state, step)}`));
        reached.add(`${status} ${event.kind} ${executionStatus(state)}`);
      }
    }),
    { seed: 1, numRuns: 2000 },
  );
  expect(EVENT_KINDS.filter((kind) => !reached.has(kind))).toEqual([]);
  const stepMoves = STEP_TRANSITIONS.filter(({ on }) => on.includes("."));
  const unreached = stepMoves.filter(
    ({ from, on, to }) =>
      !(DURABLE[from] ?? [from]).some((source) =>
        (DURABLE[to] ?? [to]).some((target) => reached.has(`${source} ${on} ${target}`)),
      ),
  );
  expect(unreached.map(({ from, on, to }) => `${from} ${on} ${to}`)).toEqual([]);
  expect(reached).toContain("failed execution.compensating failing");
  expect(reached).toContain("cancelled execution.compensating cancelling");
  // Cases that need several rare conditions at once are left to the scenarios.
  const rest = EXECUTION_TRANSITIONS.filter(({ from, on, to }) => !reached.has(`${from} ${on} ${to}`));
  expect(rest.length / EXECUTION_TRANSITIONS.length).toBeLessThan(0.25);
});

function statusOfPhase(state: ReturnType<typeof createState>, step: number): string {
  return PHASES[state.columns.phase[step]!]!;
}
