import type { ExecutionHandle } from "@segno/engine";
import { openTestEngine, type TestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { codeEvents } from "../../src/events/event-feed.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { collect } from "./collect.ts";
import { fakeAgents, fakeWorkflow, type Ending, type Endings } from "./fake-agents.ts";

/** The endings of steps, attempt after attempt; a step that is not named succeeds. */
type Script = Readonly<Record<string, readonly Ending[]>>;

interface Played {
  readonly events: readonly CodeEvent[];
  /** The types with the task or the session that they name. */
  readonly lines: readonly string[];
}

async function play(
  script: Script | Endings,
  act: (handle: ExecutionHandle, test: TestEngine) => Promise<void> = async () => undefined,
  checked: readonly string[] = [],
): Promise<Played> {
  const endings: Endings =
    typeof script === "function" ? script : (step, attempt) => script[step]?.[attempt - 1] ?? "succeed";
  await using test = await openTestEngine({ agents: fakeAgents(endings) });
  const { definition, input } = fakeWorkflow({ a: [] }, checked);
  const { id } = await test.start(definition, input, { id: "x" });
  await test.advance("1h");
  await act(await test.get(id), test);
  await test.advance("1h");
  const events = await collect(codeEvents(test.engine, id));
  return { events, lines: events.map(({ type, taskId }) => (taskId === undefined ? type : `${type} ${taskId}`)) };
}

const BEGIN = ["workflow.started", "task.scheduled a", "task.claimed a", "task.started a"];
const SESSION = ["session.created a", "session.executing a"];
const MERGED = ["merge.completed a", "task.completed a"];
const LANDED = ["merge.started", "merge.completed", "workflow.completed"];
const CONFLICT = { error: "two sides changed ${ x }", errorType: "merge_conflict", ciLogs: "the log" };

describe("the events of a task", () => {
  it("EVENT-1 follow it from its schedule to its merge, with ids of the journal", async () => {
    const { events, lines } = await play({}, undefined, ["a"]);
    expect(lines).toEqual(
      [
        [...BEGIN, ...SESSION, "session.completed a"],
        ["merge.started a", "merge.waiting_for_checks a", ...MERGED, ...LANDED],
      ].flat(),
    );
    expect(events[0]).toEqual({
      type: "workflow.started",
      workflowId: "x",
      timestamp: expect.any(Number) as number,
      id: expect.stringMatching(/^x:\d+:0$/u) as string,
    });
    expect(events[4]).toMatchObject({ type: "session.created", sessionId: "x-a-1" });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it("CODE-8 name each attempt of a session, and the error that is tried again", async () => {
    const { events, lines } = await play({ "session-a": ["flaky"] });
    const failed = ["session.terminated a", "error.detected a", "error.retry a"];
    expect(lines).toEqual(
      [
        [...BEGIN, ...SESSION, ...failed],
        [...SESSION, "session.completed a", "merge.started a", ...MERGED, ...LANDED],
      ].flat(),
    );
    expect(events.filter(({ type }) => type.startsWith("error"))).toMatchObject([
      { error: "session-a is flaky", errorType: "network_timeout", sessionId: "x-a-1" },
      { error: "session-a is flaky", errorType: "network_timeout", sessionId: "x-a-1" },
    ]);
  });

  it("CODE-8 end with a failure and its escalation if the session fails for good", async () => {
    const { events, lines } = await play({ "session-a": ["fail"] });
    expect(lines).toEqual(
      [
        [...BEGIN, ...SESSION, "session.terminated a", "error.detected a"],
        ["task.failed a", "error.escalated a", "workflow.failed"],
      ].flat(),
    );
    expect(events.at(-1)).toMatchObject({ error: "session-a fails" });
  });

  it("CODE-12 have no error if the agent has reached a rate limit, and the task goes on later", async () => {
    let calls = 0;
    const { lines } = await play((step) => (step === "session-a" && ++calls === 1 ? "limit" : "succeed"));
    expect(lines).toEqual(
      [
        [...BEGIN, ...SESSION, "session.terminated a"],
        [...SESSION, "session.completed a", "merge.started a", ...MERGED, ...LANDED],
      ].flat(),
    );
  });

  it("CODE-12 show that an agent asks a person, and goes on with the answer", async () => {
    const { events, lines } = await play({ "session-a": ["question"] }, async (handle) => {
      await handle.approve("session-a/question", { by: "ann" });
    });
    expect(lines).toEqual(
      [
        [...BEGIN, ...SESSION, "session.terminated a", "error.escalated a"],
        [...SESSION, "session.completed a", "merge.started a", ...MERGED, ...LANDED],
      ].flat(),
    );
    expect(events.find(({ type }) => type === "error.escalated")).toMatchObject({ error: "the question" });
  });
});

const WORKED = [...BEGIN, ...SESSION, "session.completed a"];
const FIX = (task: string): readonly string[] =>
  [
    ["merge.failed a", "error.detected a", "error.fix_task_created a", `task.scheduled ${task}`],
    [`task.claimed ${task}`, `task.started ${task}`, `session.created ${task}`, `session.executing ${task}`],
    [`session.completed ${task}`, `task.completed ${task}`],
  ].flat();

describe("the events of a merge", () => {
  it("CODE-7 show each fix as a task, and the merge after it as another merge", async () => {
    const { events, lines } = await play({ "merge-a": ["fix"], "merge-a/merge-1": ["fix"] });
    expect(lines).toEqual(
      [
        [...WORKED, "merge.started a", ...FIX("a.fix1")],
        ["merge.started a", ...FIX("a.fix2"), "merge.started a", ...MERGED, ...LANDED],
      ].flat(),
    );
    const created = events.find(({ type }) => type === "error.fix_task_created");
    expect(created).toMatchObject({ ...CONFLICT, originalTaskId: "a", fixTaskId: "a.fix1" });
    expect(created!.conflicts).toEqual({ files: [{ path: "a.ts", messages: ["both modified"] }] });
    expect(events.find(({ type }) => type === "merge.failed")).toMatchObject(CONFLICT);
  });

  it("CODE-7 show a fix that fails, and the question to a person that follows", async () => {
    const script = { "merge-a": ["fix"], "merge-a/fix-1": ["fail"], "merge-a/merge-1": ["escalation"] } as const;
    const { lines } = await play(script, async (handle) => {
      await handle.reject("merge-a/escalation", { by: "ann" });
    });
    expect(lines.slice(WORKED.length)).toEqual(
      [
        ["merge.started a", ...FIX("a.fix1").slice(0, -2)],
        ["session.terminated a.fix1", "error.detected a.fix1", "task.failed a.fix1"],
        ["merge.started a", "merge.failed a", "error.detected a", "error.escalated a"],
        ["error.detected a", "task.failed a", "workflow.failed"],
      ].flat(),
    );
  });

  it("CODE-5 wait for an approval without being another merge", async () => {
    const { lines } = await play({ "merge-a": ["approval"], "merge-a/merge": ["flaky"] }, async (handle) => {
      await handle.approve("merge-a/approval", { by: "ann" });
    });
    expect(lines.slice(WORKED.length)).toEqual(
      [
        ["merge.started a", "merge.waiting_for_approval a", "error.detected a", "error.retry a"],
        [...MERGED, ...LANDED],
      ].flat(),
    );
  });

  it("CODE-5 end with a failure if the approval is refused", async () => {
    const { events, lines } = await play({ "merge-a": ["approval"] }, async (handle) => {
      await handle.reject("merge-a/approval", { by: "ann", comment: "not yet" });
    });
    expect(lines.slice(WORKED.length)).toEqual(
      [
        ["merge.started a", "merge.waiting_for_approval a", "error.detected a", "merge.failed a"],
        ["task.failed a", "error.escalated a", "workflow.failed"],
      ].flat(),
    );
    expect(events.find(({ type }) => type === "merge.failed")!.error).toContain("not yet");
  });

  it.each([
    ["approved", ["merge.started a", ...MERGED, ...LANDED]],
    ["refused", ["error.detected a", "task.failed a", "workflow.failed"]],
  ])("CODE-7 show one escalation that is %s", async (verdict, rest) => {
    const { events, lines } = await play({ "merge-a": ["escalation"] }, async (handle) => {
      await handle[verdict === "approved" ? "approve" : "reject"]("merge-a/escalation", { by: "ann" });
    });
    expect(lines.slice(WORKED.length)).toEqual(
      [["merge.started a", "merge.failed a", "error.detected a", "error.escalated a", ...rest]].flat(),
    );
    expect(events.find(({ type }) => type === "error.escalated")).toMatchObject({
      error: expect.stringContaining("it cannot be merged.") as string,
    });
  });
});

describe("the events of the last merge", () => {
  it("CODE-7 name no task", async () => {
    const { events, lines } = await play({ land: ["fix"], "land/merge-1": ["fail"] });
    expect(lines.slice(WORKED.length + 3)).toEqual(
      [
        ["merge.started", "merge.failed", "error.detected", "error.fix_task_created"],
        FIX("workflow.landing.fix1").slice(3),
        ["merge.started", "merge.failed", "error.detected", "error.escalated", "workflow.failed"],
      ].flat(),
    );
    expect(events.find(({ type }) => type === "error.fix_task_created")).toMatchObject({
      originalTaskId: "workflow.landing",
      fixTaskId: "workflow.landing.fix1",
    });
  });
});

describe("the events of a workflow", () => {
  it("CODE-10 are a failure without a start if it cannot be prepared", async () => {
    const { lines } = await play({ prepare: ["fail"] });
    expect(lines).toEqual(["error.detected", "error.escalated", "workflow.failed"]);
  });

  it("CODE-10 show its pause, and its cancellation as a failure", async () => {
    const { events, lines } = await play({ "merge-a": ["approval"] }, async (handle) => {
      await handle.pause();
      await handle.resume();
      await handle.cancel({ reason: "not needed" });
    });
    expect(lines.slice(-6)).toEqual(
      [
        ["merge.waiting_for_approval a", "workflow.paused", "workflow.resumed"],
        ["merge.failed a", "task.failed a", "workflow.failed"],
      ].flat(),
    );
    expect(events.slice(-3).map(({ error }) => error)).toEqual(["not needed", "not needed", "not needed"]);
  });

  it("CODE-10 go on if it is retried, with the task that failed", async () => {
    let isRepaired = false;
    const endings = (step: string): Ending => (step === "session-a" && !isRepaired ? "fail" : "succeed");
    await using test = await openTestEngine({ agents: fakeAgents(endings) });
    const { definition, input } = fakeWorkflow({ a: [] });
    const handle = await test.start(definition, input);
    await test.advance("1h");
    const before = await collect(codeEvents(test.engine, handle.id));
    isRepaired = true;
    await handle.retry();
    await test.advance("1h");
    const events = await collect(codeEvents(test.engine, handle.id));
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.slice(before.length).map(({ type, taskId = "" }) => `${type} ${taskId}`.trim())).toEqual(
      [
        ["workflow.resumed", "task.scheduled a", "task.claimed a", "task.started a", ...SESSION],
        ["session.completed a", "merge.started a", ...MERGED, ...LANDED],
      ].flat(),
    );
  });
});
