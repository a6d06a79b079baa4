// Waits and approvals that could never end.

import { expect, it } from "vitest";
import { problemPaths, problems } from "../../test/properties/written-steps.ts";
import type { ActionDefinition, StepDefinition } from "../model/definition.ts";
import { DURATION_MS_MAX } from "../model/policy.ts";
import { durationMs, stepId } from "../model/units.ts";
import { isSignalName } from "./check-waits.ts";

const does = (action: ActionDefinition): StepDefinition => ({ id: stepId("ask"), action });

it("BEYOND-2 an approval that no voter can give is refused (APPROVAL_INVALID)", () => {
  expect(problems([does({ kind: "approve", by: ["ann", "bob"], quorum: 3 })])).toEqual([
    "APPROVAL_INVALID steps[0].action.quorum: `ask` has a quorum of 3, but only 2 people may vote: it could never be approved",
  ]);
  expect(problems([does({ kind: "approve", by: [] })])).toEqual([
    "APPROVAL_INVALID steps[0].action.by: `ask` has no voters => without `by`, everybody may vote",
  ]);
  expect(problems([does({ kind: "approve", by: ["ann", "ann"] })])).toEqual([
    "APPROVAL_INVALID steps[0].action.by[1]: `ann` is named twice in `by`",
  ]);
  expect(problemPaths([does({ kind: "approve", by: [" "] })])).toEqual(["APPROVAL_INVALID steps[0].action.by[0]"]);
  for (const quorum of [0, -1, 1.5, Number.NaN])
    expect(problemPaths([does({ kind: "approve", quorum })])).toEqual(["APPROVAL_INVALID steps[0].action.quorum"]);
});

it("BEYOND-2 a quorum may be as large as the number of voters, and any number without a list of voters", () => {
  expect(problems([does({ kind: "approve", by: ["ann", "bob"], quorum: 2 })])).toEqual([]);
  expect(problems([does({ kind: "approve", quorum: 50 })])).toEqual([]);
});

it("BEYOND-2 a time that cannot pass is refused (WAIT_INVALID)", () => {
  for (const ms of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, DURATION_MS_MAX + 1].map(durationMs)) {
    expect(problemPaths([does({ kind: "wait", on: "duration", for: ms })])).toEqual([
      "WAIT_INVALID steps[0].action.for",
    ]);
    expect(problemPaths([does({ kind: "wait", on: "signal", signal: "go", timeout: ms })])).toEqual([
      "WAIT_INVALID steps[0].action.timeout",
    ]);
    expect(problemPaths([does({ kind: "approve", expires: ms })])).toEqual(["WAIT_INVALID steps[0].action.expires"]);
  }
  for (const ms of [durationMs(0), DURATION_MS_MAX])
    expect(problems([does({ kind: "wait", on: "duration", for: ms })])).toEqual([]);
});

it("BEYOND-2 a signal that could not be sent is not waited for (WAIT_INVALID)", () => {
  for (const signal of ["", "a b", "9", "-a", "ä", "a\u0000", "x".repeat(129)])
    expect(problemPaths([does({ kind: "wait", on: "signal", signal })])).toEqual([
      "WAIT_INVALID steps[0].action.signal",
    ]);
  for (const name of ["go", "_", "legal.cleared-2", "x".repeat(128)]) expect(isSignalName(name)).toBe(true);
});
