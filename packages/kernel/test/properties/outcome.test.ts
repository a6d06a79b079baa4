// How an execution ends, and the inputs of its steps.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { localStep } from "../../src/state/region.ts";
import { findRegion } from "../../src/state/step-position.ts";
import type { State } from "../../src/state/state.ts";
import { inlineValue, stepName, type Json, type Outcome } from "../../src/index.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow, type Workflow } from "./definitions.ts";
import { Driver, pickEntry } from "./driver.ts";
import { disturb } from "./happenings.ts";
import { findIndex } from "./invariants.ts";

it("STATE-7 an execution fails if and only if a step failed that may not fail, it timed out, or its output failed", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300), (shape, course) => {
      const driver = new Driver(makeWorkflow(shape));
      driver.begin();
      const choices = new Choices(course);
      disturb(driver, choices);
      expect(driver.finish(choices)).toBeUndefined();
      const { baseStatus, failure } = driver.state;
      const guilty = failedPlaces(driver.state);
      if (baseStatus === "completed") expect(guilty).toEqual([]);
      if (baseStatus !== "failed" || failure === undefined) return;
      if (failure.step === undefined) expect(failure.failure.code).not.toBe("DEADLOCK");
      else expect(guilty).toContain(failure.step);
    }),
    runs(1500),
  );
});

/** Steps of the workflow itself that failed for good, have no fallback that succeeded, and do not say `continue`. */
function failedPlaces(state: State): number[] {
  const root = state.regions[0]!;
  return Array.from({ length: root.size }, (_, step) => step).filter((step) => {
    const { definition, primary } = root.program.steps[step]!;
    if (primary >= 0 || definition.onError === "continue") return false;
    return state.phaseEvents[step]?.kind === "step.failed" && findIndex(state, root, step) === "bad";
  });
}

/**
 * The input of each step, by its name: calls, the items of maps, the input of sub-workflows. Undefined if a child of a scope
 * failed: its siblings are stopped then, and how far they got depends on time.
 */
function runInOrder(workflow: Workflow, order: Uint8Array): Json | undefined {
  const driver = new Driver(workflow);
  driver.begin();
  const choices = new Choices(order);
  // A map inside a map takes more than 500 turns (seed 1258855330).
  for (let turn = 0; turn < 20_000 && !driver.isEnded; turn++) {
    const [step] = pickEntry(driver.attempts, choices);
    const [admitted] = pickEntry(driver.admits.entries(), choices);
    const [resolved] = pickEntry(driver.resolves, choices);
    if (step !== undefined && (choices.percent(50) || (admitted ?? resolved) === undefined))
      driver.end(step, ownOutcome(driver.state, step));
    else if (admitted !== undefined) driver.grant(admitted);
    else if (resolved !== undefined) driver.resolve(resolved);
    else if (driver.finish(choices, 1) === undefined) break;
  }
  expect(driver.isEnded).toBe(true);
  const isScopeStopped = driver.journal.some(({ kind }) => kind === "step.failing");
  const calls: Record<string, Json> = {};
  for (const event of driver.journal) {
    if (event.kind === "step.started" && event.call !== undefined)
      calls[`call of ${stepName(driver.state, event.step)}`] = event.call as unknown as Json;
    if (event.kind === "step.expanded")
      calls[`children of ${stepName(driver.state, event.step)}`] = event.children as unknown as Json;
  }
  return isScopeStopped ? undefined : calls;
}

/** The result of an attempt depends on its step alone. Every fifth step fails, every seventh expands. */
function ownOutcome(state: State, step: number): Outcome {
  const name = stepName(state, step);
  const mark = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1009, 7);
  if (mark % 5 === 0 && findRegion(state, step).kind === "root")
    return { kind: "failed", failure: { class: "permanent", code: "OWN", message: name } };
  const child = {
    id: "d0" as never,
    action: { kind: "run", script: "work" },
    input: "${ [variables, steps] }",
  } as const;
  const region = findRegion(state, step);
  if (mark % 7 === 0 && region.kind === "root" && localStep(region, step) < region.size)
    return { kind: "expanded", steps: [child] };
  return { kind: "succeeded", output: inlineValue({ value: name }) };
}

it("DATA-10 the input of a step does not depend on the order in which independent steps ended", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(120, 40), bytes(120, 40), (shape, first, second) => {
      const made = makeWorkflow(shape, { steps: 7, waits: false, scopes: true });
      const definition = { ...made.program.definition, onFailure: "finish" as const };
      const workflow: Workflow = { ...made, program: { ...made.program, definition } };
      const one = runInOrder(workflow, first);
      const other = runInOrder(workflow, second);
      if (one !== undefined && other !== undefined) expect(other).toEqual(one);
    }),
    runs(1500),
  );
});
