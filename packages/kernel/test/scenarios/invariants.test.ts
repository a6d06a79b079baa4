// Claims that no table can express: what throws, what is reproducible, which requests are made, and what stays small.

import { describe, expect, it } from "vitest";

import { advance } from "../../src/rules/advance.ts";
import { backoffDelay, chance } from "../../src/rules/backoff.ts";
import { fold } from "../../src/state/fold.ts";
import { PHASES, type StepStatus } from "../../src/state/phase.ts";
import { createState } from "../../src/state/state.ts";
import { assertExecutionTransition, assertStepTransition } from "../../src/state/transition-index.ts";
import { EXECUTION_TRANSITIONS, STEP_TRANSITIONS } from "../../src/state/transitions.ts";
import { InvariantViolation } from "../../src/errors/invariant-violation.ts";
import type { Event, EventBody } from "../../src/journal/event.ts";
import { EVENT_KINDS } from "../../src/journal/read-event.ts";
import { RETRY_DEFAULT } from "../../src/model/policy.ts";
import { contentHash, durationMs, epochMs, executionId, stepId, stepIndex } from "../../src/model/units.ts";
import { inlineValue } from "../../src/model/value.ts";
import { compileOrThrow, validateDefinition } from "../../src/program/compile.ts";
import { runScenario } from "./scenario.ts";
import { parseTable } from "./table.ts";

describe("transitions that are not in the table", () => {
  const durable: Readonly<Partial<Record<StepStatus, readonly StepStatus[]>>> = {
    ready: ["waiting"],
    queued: ["waiting", "retrying"],
  };
  const allowed = new Set(
    STEP_TRANSITIONS.flatMap(({ from, on, to }) =>
      (durable[from] ?? [from]).flatMap((source) => (durable[to] ?? [to]).map((target) => `${source} ${on} ${target}`)),
    ),
  );

  it("STATE-2 every pair of states, on every event, moves only along the table", () => {
    for (const on of EVENT_KINDS) {
      PHASES.forEach((from, source) => {
        PHASES.forEach((to, target) => {
          const attempt = (): void => assertStepTransition(0, source, on, target);
          if (allowed.has(`${from} ${on} ${to}`)) expect(attempt).not.toThrow();
          else expect(attempt, `${from} ${on} ${to}`).toThrow(InvariantViolation);
        });
      });
    }
  });

  it("STATE-1 an execution moves only along its table", () => {
    const statuses = [...new Set(EXECUTION_TRANSITIONS.flatMap(({ from, to }) => [from, to]))];
    const rows = new Set(EXECUTION_TRANSITIONS.map(({ from, on, to }) => `${from} ${on} ${to}`));
    for (const on of new Set(EXECUTION_TRANSITIONS.map((row) => row.on))) {
      for (const from of statuses) {
        for (const to of statuses) {
          if (to === "none") continue;
          const attempt = (): void => assertExecutionTransition(from, on, to);
          if (rows.has(`${from} ${on} ${to}`)) expect(attempt).not.toThrow();
          else expect(attempt).toThrow(InvariantViolation);
        }
      }
    }
  });

  it("STATE-2 FAIL-8 no step leaves a terminal state but by a new round, and no execution but by that or to undo", () => {
    const ended = new Set(["succeeded", "failed", "skipped", "cancelled"]);
    const leaving = STEP_TRANSITIONS.filter(({ from }) => ended.has(from));
    expect(new Set(leaving.map(({ on }) => on))).toEqual(new Set(["execution.reopened"]));
    const whole = EXECUTION_TRANSITIONS.filter(({ from }) => ["completed", "cancelled", "failed"].includes(from));
    expect(whole.map(({ from, on, to }) => `${from} ${on} ${to}`).toSorted()).toEqual([
      "cancelled execution.compensating cancelling",
      "completed execution.reopened running",
      "failed execution.compensating failing",
      "failed execution.reopened running",
    ]);
  });
});

describe("a journal with impossible events", () => {
  const step = stepIndex(0);
  const started = runScenario({ table: "given a\nwhen start\nwhen granted a" });
  const next = (body: EventBody, seq = started.state.seq + 1, at = started.state.at): Event => ({
    v: 1,
    seq,
    at,
    ...body,
  });

  it.each<[string, Event]>([
    ["a running step that starts again", next({ kind: "step.started", step, attempt: 2, epoch: 2 })],
    [
      "a running step that is skipped with others",
      next({ kind: "steps.skipped", steps: [[step, step]], reason: { kind: "condition" } }),
    ],
    ["a running execution that is reopened", next({ kind: "execution.reopened", round: 2 })],
    ["an execution that is created twice", started.journal[0]!],
    ["a gap in the sequence", next({ kind: "step.completed", step, output: inlineValue(1) }, started.state.seq + 2)],
    [
      "a time that goes back",
      next({ kind: "step.completed", step, output: inlineValue(1) }, started.state.seq + 1, epochMs(1)),
    ],
    [
      "a scope that fails without children",
      next({ kind: "step.failing", step, child: step, failure: { class: "permanent", code: "E", message: "" } }),
    ],
    [
      "a definition that is not there",
      next({
        kind: "step.expanded",
        step,
        children: { kind: "workflow", definition: contentHash("x"), input: inlineValue(1) },
      }),
    ],
  ])("STATE-2 JOURNAL-4 a journal with %s is refused as a bug", (_, event) => {
    const run = runScenario({ table: "given a\nwhen start\nwhen granted a" });
    expect(() => fold(run.state, event)).toThrow(InvariantViolation);
  });
});

describe("the same again", () => {
  const table = `
    given a; b after a; c; d after b, c settled
    when  start {"n":1}
    when  ran a ok 1
    when  ran c fail transient
    when  later 700
    when  ran c fail permanent
  `;

  it("STATE-11 the same definition, input and happenings give the same journal, byte for byte", () => {
    const jitter = { steps: { c: { retry: { attempts: 5, jitter: "full" } } } } as const;
    const journals = [runScenario({ table, ...jitter }), runScenario({ table, ...jitter })].map(({ journal }) =>
      JSON.stringify(journal),
    );
    expect(journals[0]).toBe(journals[1]);
  });

  it("FAIL-3 full jitter comes from the execution's seed, between zero and the whole delay", () => {
    const delays = Array.from({ length: 200 }, (_, seed) => jitteredDelay(seed));
    expect(delays.map((_, seed) => jitteredDelay(seed))).toEqual(delays);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1000);
    expect(new Set(delays).size).toBeGreaterThan(150);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(mean).toBeGreaterThan(400);
    expect(mean).toBeLessThan(600);
  });

  it("FAIL-3 step, attempt and round each change the chance", () => {
    const chances = [
      chance(1, 0, 1, 1),
      chance(1, 1, 1, 1),
      chance(1, 0, 2, 1),
      chance(1, 0, 1, 2),
      chance(2, 0, 1, 1),
    ];
    expect(new Set(chances).size).toBe(5);
    for (const each of chances) expect(each >= 0 && each < 1).toBe(true);
  });

  it("FAIL-3 JOURNAL-4 an invalid Retry-After is replaced by the formula, and a valid one is rounded to whole milliseconds", () => {
    expect([Number.NaN, Number.POSITIVE_INFINITY, -5, 2.5].map(askedDelay)).toEqual([1000, 1000, 0, 3]);
  });
});

function askedDelay(retryAfter: number): number {
  const failure = { class: "transient", code: "E", message: "", retryAfter: durationMs(retryAfter) } as const;
  return backoffDelay(RETRY_DEFAULT, failure, 1, () => 0);
}

function jitteredDelay(seed: number): number {
  const { steps } = parseTable("given a", { a: { retry: { jitter: "full" } } });
  const state = createState(compileOrThrow({ name: "flow", steps }));
  const at = epochMs(0);
  const step = stepIndex(0);
  const values = { value: () => undefined, checkSchema: () => [] };
  const create = {
    execution: executionId("e"),
    definition: contentHash("d"),
    input: inlineValue(null),
    correlationId: "c",
  };
  const failure = { class: "transient", code: "E", message: "" } as const;
  advance(state, { kind: "create", at, seed, ...create }, values);
  advance(state, { kind: "begin", at }, values);
  advance(state, { kind: "granted", at, step }, values);
  const { events } = advance(
    state,
    { kind: "ended", at, step, epoch: 1, outcome: { kind: "failed", failure } },
    values,
  );
  return events[0]!.kind === "step.retried" ? events[0]!.dueAt : -1;
}

describe("values that are not loaded", () => {
  const extras = {
    workflow: { input: { type: "object" }, output: "${ steps.b.output }" },
    steps: {
      a: { when: "input.go" },
      b: { input: "${ steps.a.output.n }" },
      c: { action: { kind: "map", over: "steps.a.output.list", steps: parseTable("given x").steps } },
      s: { action: { kind: "wait", on: "signal", signal: "go", schema: { type: "number" } } },
    },
    values: { "sha256:input": { go: true }, "sha256:a": { n: 1, list: [5] }, "sha256:b": "done", "sha256:s": 3 },
  } as const;
  const given = "given a; b after a; c after a; s after b";

  const asNeeded = `
    ${given}
    when  create sha256:input
    when  begin                     then execution validating | needs sha256:input
    when  load sha256:input         then a queued | execution running | needs
    when  ran a ok sha256:a         then a succeeded | b ready | needs sha256:a
    when  load sha256:a             then b queued | c open
    when  ran b ok sha256:b         then b succeeded | s suspended
    when  ran c/0 ok 1
    when  signal go s1 sha256:s     then s suspended | needs sha256:s
    when  load sha256:s             then s succeeded | needs sha256:b | execution running
    when  load sha256:b             then execution completed
  `;
  const before = `
    ${given}
    when  load sha256:input
    when  load sha256:a
    when  load sha256:b
    when  load sha256:s
    when  start sha256:input
    when  ran a ok sha256:a
    when  ran b ok sha256:b
    when  ran c/0 ok 1
    when  signal go s1 sha256:s     then execution completed
  `;

  it("STATE-11 DATA-10 are requested, and the result is the same as if they had been loaded", () => {
    expect(JSON.stringify(runScenario({ table: asNeeded, ...extras }).journal)).toBe(
      JSON.stringify(runScenario({ table: before, ...extras }).journal),
    );
  });

  it("STATE-11 a happening that needs a value does not change the state before the value is loaded", () => {
    const run = runScenario({
      table: "given a\nwhen start\nwhen granted a\nwhen ended a ok sha256:a then a running | events | needs sha256:a",
      steps: { a: { output: { select: "n" } } },
      values: { "sha256:a": { n: 4 } },
    });
    run.load("sha256:a");
    expect(run.output("a")).toBe(4);
  });
});

describe("sizes", () => {
  it("CANCEL-4 100,000 steps that never started are cancelled by one event", () => {
    const steps = parseTable("given a").steps;
    const many = Array.from({ length: 100_000 }, (_, index) => ({ ...steps[0]!, id: stepId(`s${index}`) }));
    const state = createState(compileOrThrow({ name: "flow", steps: many }));
    const at = epochMs(0);
    const values = { value: () => undefined, checkSchema: () => [] };
    const create = { execution: executionId("e"), definition: contentHash("d"), input: inlineValue(null) };
    advance(state, { kind: "create", at, seed: 1, correlationId: "c", ...create }, values);
    advance(state, { kind: "begin", at }, values);
    const { events } = advance(state, { kind: "cancel", at, mode: "abort", reason: "enough" }, values);
    expect(events.map(({ kind }) => kind)).toEqual(["execution.cancelling", "steps.cancelled", "execution.cancelled"]);
    expect(events[1]).toMatchObject({ steps: [[0, 99_999]] });
  });
});

describe("input that is refused before it is decided", () => {
  it("GRAPH-1 (002 scenario 8) a step that waits for itself is refused before anything runs", () => {
    const problems = validateDefinition({ name: "flow", steps: parseTable("given a after a; b").steps });
    expect(problems).toMatchObject([{ code: "DEPENDENCY_CYCLE", message: "these steps wait for each other: a -> a" }]);
  });

  it("STATE-8 STATE-6 fallbacks that are each other's are refused, and looking at them ends", () => {
    const problems = validateDefinition({ name: "flow", steps: parseTable("given a fallback b; b fallback a").steps });
    expect(problems.map(({ code }) => code)).toContain("DEPENDENCY_CYCLE");
  });

  it("STATE-9 OUT_OF_RANGE a map without steps, which could give no result for an item, is refused", () => {
    const steps = [
      { id: stepId("m"), action: { kind: "map", over: "input", steps: [], result: stepId("x") } },
    ] as const;
    expect(validateDefinition({ name: "flow", steps })).toMatchObject([
      { code: "OUT_OF_RANGE", path: ["steps", 0, "action", "steps"] },
    ]);
  });
});
