// A user-supplied strategy that has to read something before it can order the steps of an execution from the store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { StepContext } from "../../src/agents/step-context.ts";
import { Engine } from "../../src/api/engine.ts";
import type { CustomStrategy } from "../../src/scheduler/strategy.ts";

const DEFINITION: Definition = {
  name: "sample",
  concurrency: 1,
  steps: ["a", "b", "c"].map((id) => ({ id: stepId(id), action: { kind: "agent", agent: "work" } })),
};

/** Starts an execution in an engine without slots, and runs it in another one with this strategy. */
async function runStored(strategy: CustomStrategy): Promise<{ order: readonly string[]; faults: readonly unknown[] }> {
  const folder = mkdtempSync(join(tmpdir(), "segno-stored-strategy-"));
  const file = join(folder, "segno.db");
  const order: string[] = [];
  const faults: unknown[] = [];
  try {
    const agents = { work: (_: unknown, { step }: StepContext) => void order.push(step.id) };
    const first = await Engine.open({ file, agents, limits: { slots: 0 } });
    const { id } = await first.start(DEFINITION, { large: "x".repeat(100_000) });
    await first.close();
    await using engine = await Engine.open({ file, strategy, agents, onFault: (error) => void faults.push(error) });
    await (await engine.get(id)).result();
    return { order, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("a strategy that loads", () => {
  it("SCHED-5 gets the state and the values of an execution from the store before it is asked", async () => {
    let size = 0;
    const strategy: CustomStrategy = {
      covers: () => size > 0,
      select: (ready) => ready.at(-1)!,
      load: async ({ state, readValues }) => {
        const { input } = state.created!;
        const values = input.kind === "stored" ? await readValues([input.hash]) : new Map<string, unknown>();
        size = JSON.stringify([...values.values()]).length;
      },
    };
    expect(await runStored(strategy)).toEqual({ order: ["c", "b", "a"], faults: [] });
    expect(size).toBeGreaterThan(100_000);
  });

  it("SCHED-5 and fails is reported, and the execution continues", async () => {
    const failed = new Error("cannot be read");
    const strategy: CustomStrategy = { select: (ready) => ready.at(-1)!, load: () => Promise.reject(failed) };
    expect(await runStored(strategy)).toEqual({ order: ["c", "b", "a"], faults: [failed] });
  });
});
