import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { openTestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS, loadExecutorConfig } from "../../src/config/executor-config.ts";
import { codeEvents } from "../../src/events/event-feed.ts";
import { EventPublisher } from "../../src/events/event-publisher.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { WorkflowFeed } from "../../src/executor/workflow-feed.ts";
import { collect } from "../events/collect.ts";
import { fakeAgents, fakeWorkflow, type Ending } from "../events/fake-agents.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { Gate, independent, template, until } from "./memory-scripts.ts";

const { definition, input } = fakeWorkflow({ a: [] });

const CHAIN = template(`
name: chain
tasks:
  - { id: a, instructions: a }
  - { id: b, instructions: b, dependsOn: [a] }
`);

function openFeed(port: MemoryEvents): WorkflowFeed {
  return new WorkflowFeed(port, new EventPublisher(port), EXECUTOR_DEFAULTS.events);
}

describe("the feed of an event port", () => {
  it("EVENT-1 publishes each event of a workflow once, also if the workflow is retried", async () => {
    let isRepaired = false;
    const endings = (step: string): Ending => (step === "session-a" && !isRepaired ? "fail" : "succeed");
    await using test = await openTestEngine({ agents: fakeAgents(endings) });
    const port = new MemoryEvents();
    const feed = openFeed(port);
    const handle = await test.start(definition, input);
    feed.follow(test.engine, handle.id);
    feed.follow(test.engine, handle.id);
    await test.advance("1h");
    await feed.delivered(handle.id);
    expect(port.events.at(-1)).toMatchObject({ type: "workflow.failed" });
    isRepaired = true;
    await handle.retry();
    feed.follow(test.engine, handle.id);
    await test.advance("1h");
    await feed.delivered(handle.id);
    expect(port.events).toEqual(await collect(codeEvents(test.engine, handle.id)));
    expect(feed.metrics()).toMatchObject({ workflows_completed: 1, workflows_failed: 1, tasks_completed: 1 });
  });

  it("EVENT-1 publishes nothing after it was closed", async () => {
    await using test = await openTestEngine({ agents: fakeAgents(() => "succeed") });
    const port = new MemoryEvents();
    const feed = openFeed(port);
    await feed.close();
    const { id } = await test.start(definition, input);
    feed.follow(test.engine, id);
    await test.advance("1m");
    expect(port.events).toEqual([]);
  });

  it("EVENT-1 CODE-10 goes on where the process before it ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-feed-"));
    const file = join(folder, "segno.db");
    const log = join(folder, "events.log");
    const yaml = `executor: { events: { streams: [{ type: file, path: "${log}", level: debug }] } }\n`;
    const config = quick(loadExecutorConfig(yaml));
    const gate = new Gate();
    const engine = await Engine.open({ file });
    const first = new MemoryExecutor({ a: gate.script }, { engine });
    const id = await first.executor.instantiateTemplate(CHAIN, {});
    const running = first.executor.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    await until(() => first.events.events.some(({ type }) => type === "session.executing"));
    await engine.close({ drainMs: 0 });
    gate.open();
    await running;
    await using again = await Engine.open({ file });
    const { backend: taskBackend, workspaces: workspacePort, vcs: vcsPort } = first;
    await using second = new MemoryExecutor(
      {},
      { engine: again, config, ports: { taskBackend, workspacePort, vcsPort } },
    );
    await second.executor.executeWorkflow(id);
    await second.executor.close();
    // The template is known from the journal, so lines have the facts of its tasks.
    expect(readFileSync(log, "utf8")).toMatch(/"event":"session.created".*"taskBranch":"task\/[^"]*-b"/u);
    expect(first.events.events.length).toBeGreaterThan(3);
    expect([...first.events.events, ...second.events.events]).toEqual(await collect(codeEvents(again, id)));
    rmSync(folder, { recursive: true });
  });
});

describe("the modules of an executor", () => {
  it("CODE-1 CODE-14 include the error handler and the event publisher, which decide and publish as the steps do", async () => {
    await using test = new MemoryExecutor(
      {},
      { errorResolution: { resolve: async () => ({ type: "escalate", reason: "mine" }) } },
    );
    const { errorHandler, eventPublisher } = test.executor;
    const task = { id: "a", workflowId: "w" };
    expect(await errorHandler.handleTaskError(task, new Error("no"))).toMatchObject({
      type: "escalate",
      reason: "mine",
    });
    const seen: string[] = [];
    const subscription = eventPublisher.subscribe({}, ({ type }) => void seen.push(type));
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(seen.at(-1)).toBe("workflow.completed");
    eventPublisher.unsubscribe(subscription);
    await eventPublisher.publishEvent({ type: "task.scheduled", workflowId: "w" });
    expect(test.events.events.at(-1)).toMatchObject({ type: "task.scheduled", workflowId: "w" });
    expect(seen.at(-1)).toBe("workflow.completed");
  });

  it("EVENT-1 tell that a merge waits for checks only if its policy looks at checks", async () => {
    await using test = new MemoryExecutor({});
    const checked = { ...independent("a"), policies: { checks: ["true"] } };
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(checked, {}));
    expect(test.events.events.map(({ type }) => type)).not.toContain("merge.waiting_for_checks");
  });
});
