import { openTestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { codeEvents } from "../../src/events/event-feed.ts";
import { EventRelay } from "../../src/events/event-relay.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { collect } from "./collect.ts";
import { fakeAgents, fakeWorkflow, type Ending } from "./fake-agents.ts";

const { definition, input } = fakeWorkflow({ a: [] });

describe("the relay of events", () => {
  it("EVENT-1 publishes each event of an execution once, also if the execution is retried", async () => {
    let isRepaired = false;
    const endings = (step: string): Ending => (step === "session-a" && !isRepaired ? "fail" : "succeed");
    await using test = await openTestEngine({ agents: fakeAgents(endings) });
    const port = new MemoryEvents();
    const relay = new EventRelay(test.engine, port);
    const handle = await test.start(definition, input);
    relay.follow(handle.id);
    relay.follow(handle.id);
    await test.advance("1h");
    await relay.ended(handle.id);
    expect(port.events.at(-1)).toMatchObject({ type: "workflow.failed" });
    isRepaired = true;
    await handle.retry();
    relay.follow(handle.id);
    await test.advance("1h");
    await relay.ended(handle.id);
    expect(port.events).toEqual(await collect(codeEvents(test.engine, handle.id)));
    expect(relay.metrics()).toMatchObject({ workflows_completed: 1, workflows_failed: 1, tasks_completed: 1 });
  });

  it("EVENT-1 publishes with the same ids after a crash", async () => {
    await using test = await openTestEngine({
      agents: fakeAgents((step) => (step === "merge-a" ? "approval" : "succeed")),
    });
    const [before, after] = [new MemoryEvents(), new MemoryEvents()];
    const { id } = await test.start(definition, input);
    new EventRelay(test.engine, before).follow(id);
    await test.advance("1m");
    await test.crash();
    const relay = new EventRelay(test.engine, after);
    relay.follow(id);
    await (await test.get(id)).approve("merge-a/approval", { by: "ann" });
    await test.advance("1m");
    await relay.ended(id);
    expect(before.events.length).toBeGreaterThan(0);
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    expect(after.events.at(-1)).toMatchObject({ type: "workflow.completed" });
  });

  it("EVENT-1 reports an execution that does not exist, and publishes nothing after it was closed", async () => {
    await using test = await openTestEngine({ agents: fakeAgents(() => "succeed") });
    const errors: unknown[] = [];
    const port = new MemoryEvents();
    const relay = new EventRelay(test.engine, port, { onError: (error) => errors.push(error) });
    relay.follow("unknown");
    await relay.ended("unknown");
    expect(errors).toMatchObject([{ code: "EXECUTION_UNKNOWN" }]);
    relay.close();
    const { id } = await test.start(definition, input);
    relay.follow(id);
    await test.advance("1m");
    expect(port.events).toEqual([]);
  });
});
