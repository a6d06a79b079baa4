// Golden executions about waiting: for signals, for votes, for a time.

import { durationMs, inlineValue, SegnoError, type ApproveAction, type Json, type Vote } from "@segno/kernel";
import { step, type Scenario } from "./scenario.ts";
import type { GoldenFixture } from "./fixture.ts";

const SIGNALS: Scenario = {
  name: "signals",
  about: "a signal that comes before anyone waits, one that comes twice, one that is refused, one that never comes",
  ends: "completed",
  workflows: [
    {
      name: "signals",
      steps: [
        step("pause", { action: { kind: "wait", on: "duration", for: durationMs(100) } }),
        step("early", { after: ["pause"], action: { kind: "wait", on: "signal", signal: "early" } }),
        step("checked", { action: { kind: "wait", on: "signal", signal: "number", schema: { type: "number" } } }),
        step("missed", {
          action: { kind: "wait", on: "signal", signal: "never", timeout: durationMs(500) },
          onError: "continue",
        }),
      ],
      output: { early: "${ steps.early.output }", checked: "${ steps.checked.output }" },
    },
  ],
  agents: () => ({}),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "signals");
    await handle.signal("early", { by: "ana" }, { id: "signal-1" });
    await handle.signal("early", { by: "ana" }, { id: "signal-1" });
    await handle.signal("number", "seven", { id: "signal-2" }).catch(assertRefused);
    await fixture.advance(200);
    await handle.signal("number", 7, { id: "signal-3" });
    await fixture.advance(1000);
  },
};

function assertRefused(error: unknown): void {
  if (!(error instanceof SegnoError) || error.code !== "SIGNAL_INVALID") throw error;
}

const TIMES: Scenario = {
  name: "times",
  about: "waiting for a while and until a time, over a crash",
  ends: "completed",
  workflows: [
    {
      name: "times",
      steps: [
        step("while", { action: { kind: "wait", on: "duration", for: durationMs(3_600_000) } }),
        step("until", { action: { kind: "wait", on: "time", until: "2025-11-14T00:00:00Z" } }),
        step("over", { action: { kind: "wait", on: "time", until: 0 } }),
        step("never", { action: { kind: "wait", on: "time", until: "soon" }, onError: "continue" }),
      ],
    },
  ],
  agents: () => ({}),
  play: async (fixture, id) => {
    await fixture.start(id, "times");
    await fixture.advance(1000);
    await fixture.restart();
    await fixture.advance(86_400_000);
  },
};

const approve = (more: Omit<ApproveAction, "kind">): { readonly action: ApproveAction } => ({
  action: { kind: "approve", ...more },
});

const APPROVALS: Scenario = {
  name: "approvals",
  about: "votes: changes are asked for and two approve; one rejects; nobody decides in time, which approves or not",
  ends: "completed",
  workflows: [
    {
      name: "approvals",
      steps: [
        step("two", approve({ by: ["ana", "ben", "cleo"], quorum: 2, message: "release ${ input.tag }?" })),
        step("one", { ...approve({}), onError: "continue" }),
        step("silent", approve({ expires: durationMs(1000), onExpire: "approve" })),
        step("late", { ...approve({ expires: durationMs(1000) }), onError: "continue" }),
      ],
      output: { two: "${ steps.two.output }", silent: "${ steps.silent.output }" },
    },
  ],
  agents: () => ({}),
  play: async (fixture, id) => {
    await fixture.start(id, "approvals", { tag: "v1" });
    await vote(fixture, id, "two", { id: "vote-1", by: "ana", verdict: "approve" });
    await vote(fixture, id, "two", { id: "vote-2", by: "ben", verdict: "changes", comment: "the notes are missing" });
    await vote(fixture, id, "two", { id: "vote-3", by: "ben", verdict: "approve" });
    await fixture.advance(2000);
    await vote(fixture, id, "one", { id: "vote-4", by: "dora", verdict: "reject", comment: "not now" });
    await vote(fixture, id, "two", { id: "vote-5", by: "cleo", verdict: "approve" });
  },
};

const ANSWERS: Scenario = {
  name: "answers",
  about: "votes with answers: one does not fit, one fits",
  ends: "completed",
  workflows: [
    {
      name: "answers",
      steps: [step("ask", approve({ schema: { type: "integer" } }))],
      output: "${ steps.ask.output }",
    },
  ],
  agents: () => ({}),
  play: async (fixture, id) => {
    await fixture.start(id, "answers");
    const cast = (name: string, answer: Json): Vote => ({
      id: name,
      by: "ana",
      verdict: "approve",
      answer: inlineValue(answer),
    });
    await vote(fixture, id, "ask", cast("vote-1", "three"));
    await vote(fixture, id, "ask", cast("vote-2", 3));
  },
};

async function vote(fixture: GoldenFixture, id: string, name: string, cast: Vote): Promise<void> {
  await fixture.tell(id, { kind: "voted", step: name, ...cast });
}

const WAITING: Scenario = {
  name: "waiting",
  about: "everything that can be waited for, and nothing of it has come; unfinished",
  ends: "running",
  workflows: [
    {
      name: "waiting",
      timeout: durationMs(90 * 86_400_000),
      steps: [
        step("time", { action: { kind: "wait", on: "duration", for: durationMs(30 * 86_400_000) } }),
        step("signal", { action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(86_400_000) } }),
        step("approval", approve({ by: ["ana"], expires: durationMs(86_400_000), message: "go?" })),
        step("after", { after: ["time", "signal", "approval"] }),
      ],
    },
  ],
  agents: () => ({ after: async () => "done" }),
  play: async (fixture, id) => {
    const handle = await fixture.start(id, "waiting");
    await handle.signal("unheard", { kept: true }, { id: "signal-1" });
  },
};

export const WAITS: readonly Scenario[] = [SIGNALS, TIMES, APPROVALS, ANSWERS, WAITING];
