// Golden executions about attempts: retried, replaced, skipped, lost, and with values of all sizes.

import { durationMs, PermanentError, stepId } from "@segno/kernel";
import { skip } from "../../src/agents/skip.ts";
import { fail, hang, script, succeed } from "../../src/testing/script.ts";
import { step, type Scenario } from "./scenario.ts";

const done = async (): Promise<string> => "done";

/** An error of a client that got a status and a reason. */
function unavailable(): Error {
  const cause = Object.assign(new Error("connection reset"), { code: "ECONNRESET" });
  return Object.assign(new Error("try later", { cause }), { statusCode: 503 });
}

const RETRIES: Scenario = {
  name: "retries",
  about: "attempts that fail, are late, or are told when to come again, and heal",
  ends: "completed",
  workflows: [
    {
      name: "retries",
      steps: [
        step("flaky", { retry: { attempts: 4, base: durationMs(100), jitter: "full" } }),
        step("slow", { timeout: durationMs(200), retry: { attempts: 2, on: ["transient", "timeout"] } }),
        step("answered", { retry: { attempts: 2, base: durationMs(50), factor: 3, max: durationMs(900) } }),
      ],
      output: { flaky: "${ steps.flaky.output }", slow: "${ steps.slow.output }" },
    },
  ],
  agents: () => ({
    flaky: script([fail("busy"), fail("come again", { retryAfter: "5s" }), succeed({ tries: 3 })]),
    slow: script([hang(), succeed([1, 2.5, null, true], { after: "50ms" })]),
    answered: async (_, { attempt }) => {
      if (attempt === 1) throw unavailable();
      return 'ünï¢ødé \u2028 "quoted" \\ \u0000';
    },
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "retries", { order: 7 });
    await fixture.advance(20_000);
  },
};

const FALLBACK: Scenario = {
  name: "fallback",
  about: "a fallback that stands in, one that is not needed, and steps that are skipped for every other reason",
  ends: "completed",
  workflows: [
    {
      name: "fallback",
      version: "2",
      steps: [
        step("broken", { fallback: stepId("rescue"), retry: { attempts: 1 } }),
        step("rescue"),
        step("works", { fallback: stepId("unused") }),
        step("unused"),
        step("passes"),
        step("unwanted", { when: "input.nothing" }),
        step("disabled", { enabled: false }),
        step("optional", { action: { kind: "agent", agent: "broken" }, onError: "continue", retry: { attempts: 1 } }),
        step("after-optional", { after: ["optional"] }),
        step("join", {
          after: ["broken", "works", "passes", "unwanted"],
          input: { rescued: "${ steps.broken.output }", skipped: "${ steps.unwanted.status }" },
        }),
      ],
      output: "${ steps.join.output }",
    },
  ],
  agents: () => ({
    broken: script([fail("never", { permanent: true })]),
    rescue: async () => "rescued",
    works: done,
    unused: done,
    passes: async () => skip("there is nothing to do"),
    "after-optional": done,
    unwanted: done,
    disabled: done,
    join: async (input) => input,
  }),
  play: (fixture, id) => fixture.start(id, "fallback", { given: true }),
};

const LOST: Scenario = {
  name: "lost",
  about: "an attempt that goes down with its process and runs again under a higher epoch",
  ends: "completed",
  workflows: [{ name: "lost", steps: [step("first"), step("second", { after: ["first"] })], output: "${ steps }" }],
  agents: () => ({ first: script([succeed("once")]), second: script([hang(), succeed("twice", { after: "1s" })]) }),
  play: async (fixture, id) => {
    await fixture.start(id, "lost");
    await fixture.restart();
    await fixture.advance(1000);
  },
};

const LOST_FOR_GOOD: Scenario = {
  name: "lost-for-good",
  about: "an attempt that is lost so often that a person has to look; unfinished",
  ends: "parked",
  workflows: [{ name: "lost-for-good", steps: [step("cursed")] }],
  agents: () => ({ cursed: script([hang()]) }),
  play: async (fixture, id) => {
    await fixture.start(id, "lost-for-good");
    for (let crash = 0; crash < 5; crash++) await fixture.restart();
  },
};

const LARGE_TEXT = "0123456789abcdef".repeat(4200);

const LARGE_VALUE: Scenario = {
  name: "large-value",
  about: "a value above 64 KB, which stands beside the journal and is read again after a crash",
  ends: "completed",
  workflows: [
    {
      name: "large-value",
      steps: [
        step("large"),
        step("pause", { after: ["large"], action: { kind: "wait", on: "duration", for: durationMs(1000) } }),
        step("measure", { after: ["pause", "large"], input: { length: "${ length(steps.large.output) }" } }),
      ],
      output: "${ steps.measure.output }",
    },
  ],
  agents: () => ({ large: async () => LARGE_TEXT, measure: async (input) => input }),
  play: async (fixture, id) => {
    await fixture.start(id, "large-value");
    await fixture.restart();
    await fixture.advance(1000);
  },
};

const DATA: Scenario = {
  name: "data",
  about: "variables that steps write and read, outputs that are selected, a workflow with a key",
  ends: "completed",
  workflows: [
    {
      name: "data",
      input: { type: "object", required: ["tag"] },
      variables: { report: { lines: [] }, fixed: 1 },
      readOnly: ["variables.fixed"],
      strict: true,
      steps: [
        step("one", { output: { to: "variables.report.lines", merge: "append", select: "text" } }),
        step("two", {
          after: ["one"],
          output: { to: "variables.report.lines", merge: "append", schema: { type: "string" } },
        }),
        step("misfit", { output: { schema: { type: "number" } }, onError: "continue", retry: { attempts: 1 } }),
        step("show", { after: ["two"], input: { tag: "${ input.tag }", report: "${ variables.report }" } }),
      ],
      output: { shown: "${ steps.show.output }", fixed: "${ variables.fixed }" },
    },
  ],
  agents: () => ({
    one: async () => ({ text: "first", more: { deep: [{ a: 1 }] } }),
    two: async () => "second",
    misfit: async () => "no number",
    show: async (input) => input,
  }),
  play: (fixture, id) => fixture.start(id, "data", { tag: "v1" }, { idempotencyKey: "golden-key" }),
};

const REFUSED_INPUT: Scenario = {
  name: "refused-input",
  about: "an input that does not fit and was posted, so that nobody looked at it: the execution fails before it starts",
  ends: "failed",
  workflows: [{ name: "refused-input", input: { type: "object", required: ["tag"] }, steps: [step("never")] }],
  agents: () => ({ never: done }),
  play: async (fixture, id) => {
    await fixture.post(id, "refused-input", { tog: 1 });
    await fixture.restart();
  },
};

const REOPENED: Scenario = {
  name: "reopened",
  about: "a failed execution that is retried by a person: a second round in the same journal",
  ends: "completed",
  workflows: [
    {
      name: "reopened",
      timeout: durationMs(60_000),
      steps: [step("kept"), step("mended", { after: ["kept"], retry: { attempts: 1 } })],
      output: "${ steps.mended.output }",
    },
  ],
  agents: () => ({
    kept: script([succeed("kept"), fail("called twice")]),
    mended: script([fail("broken", { permanent: true }), succeed("mended")]),
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "reopened");
    await fixture.advance(5000);
    await fixture.tell(id, { kind: "retry", by: "ana" });
  },
};

function withStack(error: Error, frame: string): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${frame}`;
  return error;
}

const FAILING: Scenario = {
  name: "failing",
  about: "a step that fails for good: what runs is stopped, what waits is skipped, clean-up still runs",
  ends: "failed",
  workflows: [
    {
      name: "failing",
      grace: durationMs(500),
      steps: [
        step("bad"),
        step("polite"),
        step("later", { after: ["polite"] }),
        step("clean", { settled: ["bad", "polite"] }),
      ],
    },
  ],
  agents: () => ({
    bad: async () => {
      const cause = withStack(
        Object.assign(new RangeError("too far"), { code: "TOO_FAR" }),
        "measure (/app/map.ts:3:5)",
      );
      throw withStack(new PermanentError("cannot be done", { cause }), "drive (/app/car.ts:7:9)");
    },
    polite: script([succeed("late", { after: "1h" })]),
    later: done,
    clean: done,
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "failing");
    await fixture.advance(1000);
  },
};

export const ATTEMPTS: readonly Scenario[] = [
  RETRIES,
  FALLBACK,
  LOST,
  LOST_FOR_GOOD,
  LARGE_VALUE,
  DATA,
  REFUSED_INPUT,
  REOPENED,
  FAILING,
];
