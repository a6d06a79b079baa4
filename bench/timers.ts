// Timers: how late what is due begins. A step asks to be tried again after some time; what counts is how much later than that
// its next attempt begins, on a quiet machine and without a disk. It is a time and not a ratio of two: timers of Node have a
// resolution of a millisecond, and how late those are alone is told beside it.

import { setTimeout as sleep } from "node:timers/promises";
import { Engine, type AgentFunction } from "@segno/engine";
import { RetryAfterError, stepId, type Definition } from "@segno/kernel";
import { inParallel } from "./engine-workflows.ts";
import { figure, median, ms, type Figure } from "./figure.ts";

const SAMPLES = 500;
const AT_ONCE = 1;
/** Code is compiled while these run. */
const WARM_UP = { samples: 3000, atOnce: 100 } as const;
const LATE_MS = 2;
/** Not a whole number of anything: 5 to 44 ms. */
const retryDelay = (sample: number): number => 5 + ((sample * 17) % 40);

const WORKFLOW: Definition = {
  name: "timers",
  steps: [{ id: stepId("again"), action: { kind: "agent", agent: "bench/again" } }],
};

export async function benchTimers(): Promise<readonly Figure[]> {
  const ours = await engineLateness();
  const node = await nodeLateness();
  const note = `p50 ${ms(median(ours))}, p99 ${ms(p99(ours))}; a timer of Node p50 ${ms(median(node))}, p99 ${ms(p99(node))}`;
  return [figure(`timers: how late a retry begins, p99 over ${LATE_MS} ms`, p99(ours) / LATE_MS, 1, note)];
}

async function engineLateness(): Promise<readonly number[]> {
  const late: number[] = [];
  const dueAt = new Map<string, number>();
  let sample = 0;
  const again: AgentFunction = (_, { execution, attempt }) => {
    const now = performance.now();
    if (attempt > 1) return void late.push(now - dueAt.get(execution.id)!);
    const delay = retryDelay(sample++);
    dueAt.set(execution.id, now + delay);
    throw new RetryAfterError("later", delay);
  };
  await using engine = await Engine.open({ store: "none", agents: { "bench/again": again } });
  const run = async (): Promise<void> => void (await (await engine.start(WORKFLOW)).result());
  await inParallel(WARM_UP.samples, WARM_UP.atOnce, run);
  late.length = 0;
  await inParallel(SAMPLES, AT_ONCE, run);
  return late;
}

async function nodeLateness(): Promise<readonly number[]> {
  const late: number[] = [];
  let sample = 0;
  await inParallel(SAMPLES, AT_ONCE, async () => {
    const delay = retryDelay(sample++);
    const dueAt = performance.now() + delay;
    await sleep(delay);
    late.push(performance.now() - dueAt);
  });
  return late;
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
}
