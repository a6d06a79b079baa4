import type { Engine, ExecutionHandle } from "@segno/engine";
import type { TaskArtefact } from "../model/execution-session.ts";
import { MORE_TASKS } from "../template/compile-template.ts";
import type { MergeValue } from "../steps/step-values.ts";
import type { StepHost } from "../steps/step-runtime.ts";
import type { MergeCancellations } from "./merge-cancellations.ts";
import type { SpendingBook } from "./spending-book.ts";

/** The engine that runs the steps of code workflows, as those steps use it. */
export function engineHost(engine: Engine, spendings: SpendingBook, cancellations: MergeCancellations): StepHost {
  return {
    processes: (context) => ({ start: (command) => engine.extensions.spawn(context, command) }),
    spending: (id, budgetUsd) => spendings.of(engine, id, budgetUsd),
    mergeOpened: (id, merge, cancel) => cancellations.open(engine, id, merge, cancel),
    mergeLanded: (id, merge) => cancellations.landed(id, merge),
    maskText: (text) => engine.mask(text),
    after: (ms, call) => engine.extensions.after(ms, call),
    executions: {
      pause: async (id) => void (await (await engine.get(id)).pause()),
      findStep: async (id, step) => (await (await engine.get(id)).status()).steps.find(({ name }) => name === step),
      artefacts: async (id) => await readArtefacts(await engine.get(id)),
      approve: async (id, step, vote) => void (await (await engine.get(id)).approve(step, vote)),
    },
  };
}

const MERGE = new RegExp(`^(?:${MORE_TASKS}/)*merge-([^/]+)$`, "u");

async function readArtefacts(handle: ExecutionHandle): Promise<Readonly<Record<string, TaskArtefact>>> {
  const { steps } = await handle.status();
  const artefacts: Record<string, TaskArtefact> = {};
  for (const { name, status } of steps) {
    const task = status === "succeeded" ? MERGE.exec(name)?.[1] : undefined;
    const value = task === undefined ? undefined : ((await handle.output(name)) as unknown as MergeValue);
    if (task !== undefined && value?.kind === "landed") artefacts[task] = value.artefact;
  }
  return artefacts;
}
