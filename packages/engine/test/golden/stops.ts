// Golden executions about stopping: cancelled in every way, timed out, undone, paused and parked.

import { durationMs, type CompensationDefinition } from "@segno/kernel";
import type { AgentFunction } from "../../src/agents/agent.ts";
import { fail, hang, script, succeed } from "../../src/testing/script.ts";
import { step, type Scenario } from "./scenario.ts";

const done: AgentFunction = async () => "done";

/** Returns a value when it is told to stop. */
const saving: AgentFunction = (_, { signal }) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("saved"), { once: true });
  });

/** The compensation of a step, which gets the step's output. */
const undoing = (id: string): CompensationDefinition => ({
  action: { kind: "agent", agent: `un${id}` },
  input: { back: `\${ steps.${id}.output }` },
  retry: { attempts: 2, base: durationMs(10) },
});

const CANCEL_GRACE: Scenario = {
  name: "cancel-grace",
  about: "cancelled: one attempt stops by itself, one hands over a value within the grace, one never began",
  ends: "cancelled",
  workflows: [{ name: "cancel-grace", steps: [step("stops"), step("saves"), step("later", { after: ["stops"] })] }],
  agents: () => ({ stops: script([succeed("late", { after: "1h" })]), saves: saving, later: done }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "cancel-grace");
    await handle.cancel({ reason: "not needed any more" });
    await fixture.untilIdle();
  },
};

const CANCEL_FORCE: Scenario = {
  name: "cancel-force",
  about: "cancelled: an attempt that does not stop within its grace is ended by force",
  ends: "cancelled",
  workflows: [{ name: "cancel-force", steps: [step("deaf"), step("deaf-too"), step("later", { after: ["deaf"] })] }],
  agents: () => ({ deaf: script([hang()]), "deaf-too": script([hang()]), later: done }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "cancel-force");
    await handle.cancel({ graceMs: 300 });
    await fixture.advance(1000);
  },
};

const CANCEL_DRAIN: Scenario = {
  name: "cancel-drain",
  about: "drained: what runs may end; then the drain is turned into an abort, and what succeeded is undone",
  ends: "cancelled",
  workflows: [
    {
      name: "cancel-drain",
      steps: [
        step("book", { compensate: undoing("book") }),
        step("pay", { compensate: undoing("pay") }),
        step("long", { after: ["book"] }),
        step("later", { after: ["long"] }),
      ],
    },
  ],
  agents: () => ({
    book: script([succeed({ seat: "4a" })]),
    pay: script([succeed("paid", { after: "1s" })]),
    long: script([succeed("late", { after: "1h" })]),
    unbook: script([fail("closed"), fail("closed for good", { permanent: true })]),
    unpay: script([fail("busy"), succeed("paid back")]),
    later: done,
  }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "cancel-drain");
    await handle.cancel({ mode: "drain", reason: "shutting down", compensate: true });
    await fixture.advance(2000);
    await handle.cancel({ reason: "took too long", graceMs: 50 });
    await fixture.advance(1000);
  },
};

const DEADLINE: Scenario = {
  name: "deadline",
  about: "the time of the workflow is over: what runs is stopped by force, the rest is skipped",
  ends: "failed",
  workflows: [
    {
      name: "deadline",
      timeout: durationMs(1000),
      grace: durationMs(100),
      steps: [step("quick"), step("endless", { after: ["quick"] }), step("later", { after: ["endless"] })],
    },
  ],
  agents: () => ({ quick: done, endless: script([hang()]), later: done }),
  play: async (fixture, id) => {
    await fixture.start(id, "deadline");
    await fixture.advance(2000);
  },
};

const COMPENSATION: Scenario = {
  name: "compensation",
  about: "a failure that undoes what had succeeded, newest first; one of them cannot be undone",
  ends: "failed",
  workflows: [
    {
      name: "compensation",
      onFailure: "compensate",
      steps: [
        step("book", { compensate: undoing("book") }),
        step("pay", { after: ["book"], compensate: undoing("pay") }),
        step("ship", { after: ["pay"], retry: { attempts: 1 } }),
      ],
    },
  ],
  agents: () => ({
    book: async () => ({ seat: "4a" }),
    pay: async () => "paid",
    ship: script([fail("lost at sea", { permanent: true })]),
    unbook: done,
    unpay: script([fail("no refunds")]),
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "compensation");
    await fixture.advance(1000);
  },
};

const UNDONE_LATER: Scenario = {
  name: "undone-later",
  about: "what could not be undone is tried again by a person after the end, twice: the execution stays cancelled",
  ends: "cancelled",
  workflows: [
    {
      name: "undone-later",
      timeout: durationMs(60_000),
      steps: [
        step("book", { compensate: undoing("book") }),
        step("pay", { after: ["book"], compensate: undoing("pay") }),
        step("ship", { after: ["pay"] }),
      ],
    },
  ],
  agents: () => ({
    book: async () => ({ seat: "4a" }),
    pay: async () => "paid",
    ship: script([hang()]),
    unbook: script([fail("no clerk", { permanent: true }), succeed("free"), fail("called too often")]),
    unpay: script([
      fail("no refunds", { permanent: true }),
      fail("still none", { permanent: true }),
      succeed("paid back"),
    ]),
  }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "undone-later");
    await handle.cancel({ compensate: true, reason: "the party is off", graceMs: 0 });
    await fixture.advance(1000);
    await fixture.tell(id, { kind: "retry", undo: true, by: "ana" });
    await fixture.advance(1000);
    await handle.retry({ undo: true });
  },
};

const PAUSED: Scenario = {
  name: "paused",
  about: "paused by a person while a step runs, and resumed by another",
  ends: "completed",
  workflows: [{ name: "paused", steps: [step("runs"), step("waits", { after: ["runs"] })], output: "${ steps }" }],
  agents: () => ({ runs: script([succeed(1, { after: "1s" })]), waits: script([succeed(2)]) }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "paused");
    await fixture.tell(id, { kind: "pause", by: "ana" });
    await fixture.advance(5000);
    await fixture.tell(id, { kind: "resume", by: "ben" });
    await handle.pause();
    await handle.resume();
  },
};

const PARKED: Scenario = {
  name: "parked",
  about: "parked because nobody can run a step until somebody can, and parked by a person for another reason",
  ends: "completed",
  workflows: [{ name: "parked", steps: [step("known"), step("unknown", { after: ["known"] })] }],
  agents: () => ({ known: done }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "parked");
    await fixture.tell(id, { kind: "park", cause: "journal-limit", reason: "the audit comes first" });
    await fixture.advance(60_000);
    await handle.resume();
    await fixture.untilIdle();
    fixture.engine.agent("unknown", done);
    await fixture.untilIdle();
  },
};

export const STOPS: readonly Scenario[] = [
  CANCEL_GRACE,
  CANCEL_FORCE,
  CANCEL_DRAIN,
  DEADLINE,
  COMPENSATION,
  UNDONE_LATER,
  PAUSED,
  PARKED,
];
