import { describe, expect, it } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import type { EventPort } from "../../src/events/event-port.ts";
import { EventPublisher } from "../../src/events/event-publisher.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { EventType } from "../../src/model/event-type.ts";
import { eventOf, eventsContract } from "./events-contract.ts";

eventsContract("memory", () => {
  const port = new MemoryEvents();
  return { port, settle: async () => undefined, errors: () => port.errors };
});

eventsContract("the event bus", () => {
  const errors: unknown[] = [];
  const port = new EventBus({ onError: (error) => errors.push(error) });
  return { port, settle: () => port.idle(), errors: () => errors };
});

describe("events in memory", () => {
  it("CODE-1 are kept for the test", async () => {
    const events = new MemoryEvents();
    await events.publish(eventOf());
    expect(events.events).toEqual([eventOf()]);
  });
});

describe("the event bus", () => {
  it("EVENT-2 waits for no subscriber, and drops the oldest events of one that is too slow, and says so", async () => {
    const errors: unknown[] = [];
    const bus = new EventBus({ queueMax: 2, onError: (error) => errors.push(error) });
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    const slow: string[] = [];
    const fast: string[] = [];
    bus.subscribe({}, async ({ taskId }) => {
      await isFree;
      slow.push(taskId!);
    });
    bus.subscribe({}, ({ taskId }) => void fast.push(taskId!));
    for (const taskId of ["1", "2", "3", "4", "5"]) {
      await bus.publish(eventOf(EventType.TaskStarted, { taskId }));
      await new Promise(setImmediate);
    }
    expect(fast).toEqual(["1", "2", "3", "4", "5"]);
    free();
    await bus.idle();
    expect(slow).toEqual(["1", "4", "5"]);
    expect(errors).toMatchObject([{ code: "EVENTS_DROPPED", message: expect.stringContaining("2 events") as string }]);
  });

  it("EVENT-2 goes on if the handler of errors throws", async () => {
    const bus = new EventBus({
      onError: () => {
        throw new Error("no");
      },
    });
    let calls = 0;
    bus.subscribe({}, () => {
      calls++;
      throw new Error("thrown");
    });
    await bus.publishBatch([eventOf(), eventOf()]);
    await bus.idle();
    expect(calls).toBe(2);
  });
});

describe("the event publisher", () => {
  it("CODE-1 publishes to the port, and completes events that have no id and no time", async () => {
    const port = new MemoryEvents();
    const publisher = new EventPublisher(port, { now: () => 7 });
    const got: string[] = [];
    const subscription = publisher.subscribe({ workflowId: "w" }, ({ type }) => void got.push(type));
    await publisher.publishEvent({ type: EventType.WorkflowStarted, workflowId: "w" });
    await publisher.publishBatch([eventOf(), eventOf(EventType.TaskFailed)]);
    await publisher.publishBatch([]);
    publisher.unsubscribe(subscription);
    await publisher.publishEvent(eventOf());
    expect(got).toEqual(["workflow.started", "task.started", "task.failed"]);
    expect(port.events[0]).toEqual({
      type: "workflow.started",
      workflowId: "w",
      timestamp: 7,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/u) as string,
    });
    expect(port.events[1]).toEqual(eventOf());
  });

  it("CODE-1 reports an error of the port, and does not fail the work that it tells about", async () => {
    const errors: unknown[] = [];
    const failing: EventPort = {
      publish: async () => Promise.reject(new Error("one")),
      publishBatch: () => {
        throw new Error("many");
      },
      subscribe: () => "",
      unsubscribe: () => undefined,
    };
    const publisher = new EventPublisher(failing, { onError: (error) => errors.push(error) });
    await publisher.publishEvent(eventOf());
    await publisher.publishBatch([eventOf()]);
    expect(errors.map(String)).toEqual(["Error: one", "Error: many"]);
  });
});
