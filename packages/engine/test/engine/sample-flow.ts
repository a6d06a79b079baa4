// Small workflows for tests of the engine, and views on an execution.

import { durationMs, stepId, type Definition, type Event, type StepDefinition } from "@segno/kernel";
import type { ExecutionHandle, WatchEvent } from "../../src/index.ts";

export interface StepSketch extends Partial<Omit<StepDefinition, "id" | "dependsOn" | "action">> {
  /** The default is `work`. */
  readonly agent?: string;
  readonly after?: readonly string[];
}

export function step(id: string, { agent = "work", after = [], ...rest }: StepSketch = {}): StepDefinition {
  return {
    ...rest,
    id: stepId(id),
    action: { kind: "agent", agent },
    ...(after.length === 0
      ? {}
      : { dependsOn: after.map((each) => ({ step: stepId(each), on: "succeeded" as const })) }),
  };
}

export function flow(steps: readonly StepDefinition[], more: Partial<Definition> = {}): Definition {
  return { name: "flow", ...more, steps };
}

/** One step, called `a`, with one attempt. */
export function one(more: StepSketch = {}, workflow: Partial<Definition> = {}): Definition {
  return flow([step("a", { retry: { attempts: 1 }, ...more })], { output: "${ steps.a.output }", ...workflow });
}

/** Waits for a time, then calls the agent `work`. */
export function afterWaiting(ms: number): Definition {
  return flow([
    { id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(ms) } },
    step("a", { after: ["wait"] }),
  ]);
}

/** All events of an execution so far, whether it has ended or not. */
export async function readHistory(handle: ExecutionHandle<unknown>): Promise<readonly WatchEvent[]> {
  const { seq } = await handle.status();
  const events: WatchEvent[] = [];
  for await (const event of handle.events()) {
    events.push(event);
    if (event.seq >= seq) break;
  }
  return events;
}

export async function eventKinds(handle: ExecutionHandle<unknown>): Promise<readonly string[]> {
  return (await readHistory(handle)).map(({ kind }) => kind);
}

/** The events of one kind, as in the journal. */
export async function readEvents<Kind extends Event["kind"]>(
  handle: ExecutionHandle<unknown>,
  kind: Kind,
): Promise<readonly (Event & { readonly kind: Kind })[]> {
  return (await readHistory(handle)).flatMap(({ event }) =>
    event.kind === kind ? [event as Event & { readonly kind: Kind }] : [],
  );
}
