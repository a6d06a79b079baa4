// Maps and sleepers: what an item costs when there are many, and what many executions cost that only wait.

import { join } from "node:path";
import { Engine } from "@segno/engine";
import { durationMs, stepId, type Definition } from "@segno/kernel";
import { AGENTS, inParallel } from "./engine-workflows.ts";
import { figure, median, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { measured, stallNote } from "./stall.ts";

const [AGENT] = Object.keys(AGENTS) as [string];

const MAP: Definition = {
  name: "map",
  steps: [
    {
      id: stepId("all"),
      action: { kind: "map", over: "input", steps: [{ id: stepId("x"), action: { kind: "agent", agent: AGENT } }] },
    },
  ],
};

export function benchMap(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({
      file: join(folder, "engine.db"),
      agents: AGENTS,
      limits: { slots: 1000 },
    });
    const [few, many] = [await itemCost(engine, 1000, 15), await itemCost(engine, 100_000, 3)];
    return [
      figure(
        "map: an item of 100,000 against one of 1,000, with fsync",
        many.itemMs / few.itemMs,
        1.3,
        `${micros(few.itemMs)} to ${micros(many.itemMs)}, ${stallNote(many.stallMs)}`,
      ),
    ];
  });
}

const SLEEPERS = 10_000;
const WATCHED_MS = 2000;
/** So much of a processor may executions take that do nothing. */
const IDLE_SHARE = 0.01;

const SLEEP: Definition = {
  name: "sleep",
  steps: [{ id: stepId("nap"), action: { kind: "wait", on: "duration", for: durationMs(3_600_000) } }],
};

/** Executions that sleep have no timer of their own, and take no time while they do. */
export function benchSleepers(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({ file: join(folder, "engine.db") });
    const timersBefore = timers();
    await inParallel(SLEEPERS, 100, async () => void (await engine.start(SLEEP)));
    const timersAfter = timers();
    await pause(WATCHED_MS);
    const usage = process.cpuUsage();
    await pause(WATCHED_MS);
    const { user, system } = process.cpuUsage(usage);
    const share = (user + system) / 1000 / WATCHED_MS;
    return [
      figure(
        "sleepers: timers for 10,000 sleeping executions",
        timersAfter - timersBefore,
        1,
        `${timersBefore} without`,
      ),
      figure(
        "sleepers: processor time, over 1 %",
        share / IDLE_SHARE,
        1,
        `${(share * 100).toFixed(3)} % of one processor`,
      ),
    ];
  });
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

async function pause(forMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, forMs));
}

async function itemCost(
  engine: Engine,
  count: number,
  rounds: number,
): Promise<{ readonly itemMs: number; readonly stallMs: number }> {
  const items = Array.from({ length: count }, (_, index) => index);
  const times: number[] = [];
  let stallMs = 0;
  for (let round = -2; round < rounds; round++) {
    const result = await measured(async () => (await engine.start(MAP, items)).result());
    if (round < 0) continue;
    times.push(result.ms / count);
    stallMs = Math.max(stallMs, result.stallMs);
  }
  return { itemMs: median(times), stallMs };
}

function micros(valueMs: number): string {
  return `${(valueMs * 1000).toFixed(2)} µs`;
}
