// Every code that a step or an execution can fail with, provoked.

import { describe, expect, it } from "vitest";

import { checkJson } from "../../src/data/json-check.ts";
import { notUndoneSteps } from "../../src/views/snapshot.ts";
import { KERNEL_CODES } from "../../src/errors/catalogue.ts";
import { durationMs } from "../../src/model/units.ts";
import type { Run } from "./run.ts";
import { runScenario, scenario, type Scenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

const codes: readonly Scenario[] = [
  scenario("INPUT_INVALID", `given a\nwhen start 5 then a because INPUT_INVALID`, {
    steps: { a: { input: "${ input }", inputSchema: { type: "string" } } },
  }),
  scenario("OUTPUT_INVALID", `given a\nwhen start\nwhen ran a ok 5 then a because OUTPUT_INVALID`, {
    steps: { a: { output: { schema: { type: "string" } } } },
  }),
  scenario("VALUE_TOO_LARGE", `given a\nwhen start\nwhen ran a ok sha256:big/10485761 then a because VALUE_TOO_LARGE`),
  scenario("TEMPLATE_MISSING", `given a\nwhen start {} then a because TEMPLATE_MISSING`, {
    workflow: { strict: true },
    steps: { a: { input: "${ input.missing }" } },
  }),
  scenario("CAPTURE_NOT_A_LIST", `given a\nwhen start\nwhen ran a ok 1 then a because CAPTURE_NOT_A_LIST`, {
    workflow: { variables: { list: "text" } },
    steps: { a: { output: { to: "variables.list", merge: "append" } } },
  }),
  scenario("CAPTURE_NOT_AN_OBJECT", `given a\nwhen start\nwhen ran a ok 1 then a because CAPTURE_NOT_AN_OBJECT`, {
    steps: { a: { output: { to: "variables.object", merge: "merge" } } },
  }),
  scenario(
    "VARIABLE_READ_ONLY",
    `given a\nwhen start\nwhen ran a ok {"limit":{"most":9}} then a because VARIABLE_READ_ONLY`,
    {
      workflow: { variables: { settings: { limit: { most: 1 } } }, readOnly: ["variables.settings.limit.most"] },
      steps: { a: { output: { to: "variables.settings", merge: "merge" } } },
    },
  ),
  scenario("MAP_NOT_A_LIST", `given m map "input" "x"\nwhen start 5 then m because MAP_NOT_A_LIST`),
  scenario("WAIT_TIME_INVALID", `given a\nwhen start "2027-01-31" then a because WAIT_TIME_INVALID`, {
    steps: { a: { action: { kind: "wait", on: "time", until: "${ input }" } } },
  }),
  scenario("SIGNAL_TIMEOUT", `given a\nwhen start\nwhen later 10 then a because SIGNAL_TIMEOUT`, {
    steps: { a: { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(10) } } },
  }),
  scenario(
    "APPROVAL_REJECTED",
    `given a approve\nwhen start\nwhen vote a v ann reject then a because APPROVAL_REJECTED`,
  ),
  scenario("APPROVAL_EXPIRED", `given a\nwhen start\nwhen later 10 then a because APPROVAL_EXPIRED`, {
    steps: { a: { action: { kind: "approve", expires: durationMs(10) } } },
  }),
  scenario(
    "ATTEMPT_TIMEOUT",
    `given a timeout 10\nwhen start\nwhen granted a\nwhen later 10\nwhen later 5000 then a because ATTEMPT_TIMEOUT`,
  ),
  scenario("EXECUTION_TIMEOUT", `given a\nwhen start\nwhen later 10 then execution because EXECUTION_TIMEOUT`, {
    workflow: { timeout: durationMs(10) },
  }),
  scenario("EXPANSION_INVALID", `given a\nwhen start\nwhen ran a expand bad then a because EXPANSION_INVALID`, {
    expansions: { bad: { kind: "expanded", steps: parseTable("given x after nobody").steps } },
  }),
  scenario(
    "SCOPE_FAILED",
    `given m map "input" "x"\nwhen start [1]\nwhen ran m/0 fail permanent then m because SCOPE_FAILED`,
  ),
  scenario(
    "DEADLOCK",
    `given a; b after a\nwhen start\nwhen miscounted b\nwhen ran a ok then execution because DEADLOCK`,
  ),
];

/** Codes with tests of their own, or that are not failures of a step in themselves. */
const ELSEWHERE: readonly string[] = ["SCOPE_TOO_DEEP", "SIGNAL_INVALID", "OUTPUT_NOT_JSON", "NOT_UNDONE"];

describe("codes that a step or an execution fails with", () => {
  for (const each of codes) it(`STATE-10 ${each.name} is reported`, () => void runScenario(each));

  it("STATE-10 STATE-9 SCOPE_TOO_DEEP is reported if scopes nest too deeply", () => {
    const levels = Array.from({ length: 8 }, (_, depth) => `when ran a${"/x".repeat(depth)} expand one`).join("\n");
    runScenario({
      table: `given a\nwhen start\n${levels}\nwhen ran a${"/x".repeat(8)} expand one then a${"/x".repeat(8)} because SCOPE_TOO_DEEP`,
      expansions: { one: { kind: "expanded", steps: parseTable("given x").steps } },
    });
  });

  it("STATE-10 BEYOND-2 SIGNAL_INVALID is reported for a signal, and its step keeps waiting", () => {
    const run: Run = runScenario({
      table: `given a\nwhen start\nwhen signal go s1 "text" then a suspended`,
      steps: { a: { action: { kind: "wait", on: "signal", signal: "go", schema: { type: "number" } } } },
    });
    expect(run.journal.at(-1)).toMatchObject({ kind: "signal.refused", failure: { code: "SIGNAL_INVALID" } });
  });

  it("STATE-10 FAIL-8 NOT_UNDONE is reported for a step whose compensation did not end", () => {
    const { state } = runScenario({
      table: `
        given a compensate; b after a compensate; c after b
        when start
        when ran a ok
        when ran b ok
        when cancel abort compensate
        when miscounted a/compensate
        when ran b/compensate ok then execution because DEADLOCK`,
    });
    const message = "its compensation did not finish and is waiting";
    expect(notUndoneSteps(state)).toEqual([
      { step: "a", failure: { class: "permanent", code: "NOT_UNDONE", message } },
    ]);
  });

  it("DATA-8 OUTPUT_NOT_JSON fails the step of an attempt that returned something else, with the path", () => {
    const output = checkJson({ rows: [{ size: 1n }] });
    const message = output.kind === "not-json" ? `${output.path} is ${output.found}` : "";
    expect(message).toContain("rows[0].size");
    const run = runScenario({ table: `given a\nwhen start\nwhen granted a` });
    const failure = { class: "permanent", code: "OUTPUT_NOT_JSON", message } as const;
    run.take({ kind: "ended", step: run.step("a"), epoch: 1, outcome: { kind: "failed", failure } });
    expect(run.detail("a")).toEqual({ kind: "failure", failure });
  });

  it("STATE-10 are all in the catalogue", () => {
    const names = [...codes.map(({ name }) => name), ...ELSEWHERE];
    expect(names.filter((name) => !Object.hasOwn(KERNEL_CODES, name))).toEqual([]);
  });
});

describe("messages of steps that could not begin", () => {
  const readMessage = (run: Run, step: string): string => {
    const detail = run.detail(step);
    return detail.kind === "failure" ? detail.failure.message : detail.kind;
  };

  it.each([
    ["${ input.at }", '`input.at` evaluated to "tomorrow", which is not a time such as `2030-01-31T09:00:00Z`'],
    ["${ input.nothing }", "`input.nothing` evaluated to null, which is not a time such as `2030-01-31T09:00:00Z`"],
    ["soon", '"soon" is not a time'],
    ["x".repeat(81), "a long text is not a time"],
    ["${ input }", "`input` evaluated to an object, which is not a time such as `2030-01-31T09:00:00Z`"],
    [
      "${ input.at }T${ input.hour }Z",
      '"tomorrowT9Z", rendered from `input.at` and `input.hour`, is not a time such as `2030-01-31T09:00:00Z`',
    ],
    [
      "${ input.far || `9e15` }",
      "input.far || `9e15` evaluated to 9000000000000000, which is not a time such as `2030-01-31T09:00:00Z`",
    ],
  ])("STATE-10 WAIT_TIME_INVALID of %s names the expression, and shows a valid time", (until, message) => {
    const run = runScenario({
      table: `given a\nwhen start {"at":"tomorrow","hour":9} then a because WAIT_TIME_INVALID`,
      steps: { a: { action: { kind: "wait", on: "time", until } } },
    });
    expect(readMessage(run, "a")).toBe(message);
  });

  it("STATE-10 MAP_NOT_A_LIST shows an expression that has backticks as it is written", () => {
    for (const [over, message] of [
      ["input", "`input` evaluated to a number, not a list"],
      ["input || `1`", "input || `1` evaluated to a number, not a list"],
    ] as const) {
      const steps = parseTable("given x").steps;
      const run = runScenario({
        table: "given m\nwhen start 5 then m because MAP_NOT_A_LIST",
        steps: { m: { action: { kind: "map", over, steps } } },
      });
      expect(readMessage(run, "m")).toBe(message);
    }
  });
});
