// Workflows of steps that do nothing, for the benchmarks of the engine.

import { stepId, type Definition, type StepDefinition } from "@segno/kernel";
import type { Engine } from "@segno/engine";
import type { LayeredGraph } from "./layered-graph.ts";

const NOTHING = "bench/nothing";

/** A function step has no limit of its own: its agent's name has a slash in it, as the builder gives them. */
export const AGENTS = { [NOTHING]: async () => undefined };

function step(id: string, after: readonly string[], more: Partial<StepDefinition> = {}): StepDefinition {
  const dependsOn = after.map((each) => ({ step: stepId(each), on: "succeeded" as const }));
  return {
    id: stepId(id),
    action: { kind: "agent", agent: NOTHING },
    ...(after.length === 0 ? {} : { dependsOn }),
    ...more,
  };
}

export function makeChain(length: number): Definition {
  return {
    name: `chain-${length}`,
    steps: Array.from({ length }, (_, index) => step(`s${index}`, index === 0 ? [] : [`s${index - 1}`])),
  };
}

/** A chain whose last step nothing can run: its executions are parked there. */
export function makeUnfinished(length: number): Definition {
  const chain = makeChain(length - 1);
  const last = step("last", [`s${length - 2}`], { action: { kind: "agent", agent: "bench/nobody" } });
  return { ...chain, name: `unfinished-${length}`, steps: [...chain.steps, last] };
}

/** One step, then so many side by side, then one that waits for all of them. */
export function makeFan(width: number): Definition {
  const middle = Array.from({ length: width }, (_, index) => step(`m${index}`, ["first"]));
  return {
    name: `fan-${width}`,
    steps: [
      step("first", []),
      ...middle,
      step(
        "last",
        middle.map(({ id }) => id),
      ),
    ],
  };
}

export function makeGraph({ ids, dependencies }: LayeredGraph, timeoutMs: number): Definition {
  const steps = ids.map((id, index) =>
    step(
      id,
      dependencies[index]!.map((dependency) => ids[dependency]!),
      { timeout: timeoutMs as never },
    ),
  );
  return { name: `graph-${ids.length}`, steps };
}

export async function run(engine: Engine, workflow: Definition): Promise<void> {
  await (await engine.start(workflow)).result();
}

/** So many executions, so many of them at once. */
export async function inParallel(executions: number, atOnce: number, execute: () => Promise<void>): Promise<void> {
  let left = executions;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await execute();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
