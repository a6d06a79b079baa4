// The contract of the event port: every implementation passes it.

import { describe, expect, it } from "vitest";
import type { CodeEvent, EventPort } from "../../src/events/event-port.ts";
import { EventType } from "../../src/model/event-type.ts";

export interface TestedPort {
  readonly port: EventPort;
  /** Resolves when the handlers have ended. */
  readonly settle: () => Promise<void>;
  /** The errors that were reported so far. */
  readonly errors: () => readonly unknown[];
}

export function eventOf(
  type: EventType = EventType.TaskStarted,
  { taskId = "a", workflowId = "w" }: { readonly taskId?: string; readonly workflowId?: string } = {},
): CodeEvent {
  return { type, workflowId, taskId, timestamp: 1, id: `${workflowId}:${taskId}:${type}` };
}

export function eventsContract(name: string, open: () => TestedPort): void {
  deliveryContract(name, open);
  subscriptionContract(name, open);
}

function deliveryContract(name: string, open: () => TestedPort): void {
  describe(`events through ${name}`, () => {
    it("EVENT-2 reach every subscriber in order, one at a time and in batches", async () => {
      const { port, settle } = open();
      const all: string[] = [];
      const failed: string[] = [];
      port.subscribe({}, ({ id }) => void all.push(id));
      port.subscribe({ types: [EventType.TaskFailed] }, { handle: ({ id }) => void failed.push(id) });
      const events = [eventOf(), eventOf(EventType.TaskFailed), eventOf(EventType.TaskCompleted)];
      await port.publish(events[0]!);
      await port.publishBatch(events.slice(1));
      await settle();
      expect(all).toEqual(events.map(({ id }) => id));
      expect(failed).toEqual([events[1]!.id]);
    });

    it("EVENT-2 are filtered by type, workflow and task together", async () => {
      const { port, settle } = open();
      const got: string[] = [];
      const filter = { types: [EventType.TaskStarted], workflowId: "w", taskId: "a" };
      port.subscribe(filter, ({ id }) => void got.push(id));
      await port.publishBatch([
        eventOf(EventType.TaskFailed),
        eventOf(EventType.TaskStarted, { workflowId: "other" }),
        eventOf(EventType.TaskStarted, { taskId: "other" }),
        eventOf(),
      ]);
      await settle();
      expect(got).toEqual([eventOf().id]);
    });
  });
}

function subscriptionContract(name: string, open: () => TestedPort): void {
  describe(`events through ${name}`, () => {
    it("EVENT-2 do not reach a subscriber that has left, and leaving twice is harmless", async () => {
      const { port, settle } = open();
      const got: string[] = [];
      const [first, second] = [1, 2].map(() => port.subscribe({}, ({ id }) => void got.push(id)));
      expect(first).not.toBe(second);
      port.unsubscribe(first!);
      port.unsubscribe(first!);
      port.unsubscribe("unknown");
      await port.publish(eventOf());
      await settle();
      expect(got).toEqual([eventOf().id]);
    });

    it("EVENT-2 stop when a handler leaves in the middle of a batch", async () => {
      const { port, settle } = open();
      const got: string[] = [];
      const subscription = port.subscribe({}, ({ id }) => {
        got.push(id);
        port.unsubscribe(subscription);
      });
      await port.publishBatch([eventOf(), eventOf(EventType.TaskFailed)]);
      await settle();
      expect(got).toEqual([eventOf().id]);
    });

    it("EVENT-2 reach the others and the next ones if a handler throws or rejects, which is reported", async () => {
      const { port, settle, errors } = open();
      const got: string[] = [];
      port.subscribe({}, () => {
        throw new Error("thrown");
      });
      port.subscribe({}, async () => Promise.reject(new Error("rejected")));
      port.subscribe({}, ({ id }) => void got.push(id));
      await port.publishBatch([eventOf(), eventOf(EventType.TaskFailed)]);
      await settle();
      expect(got).toHaveLength(2);
      expect(errors().map(String).toSorted()).toEqual([
        "Error: rejected",
        "Error: rejected",
        "Error: thrown",
        "Error: thrown",
      ]);
    });
  });
}
