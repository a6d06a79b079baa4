import type { Engine } from "@segno/engine";
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
      approve: async (id, step, vote) => void (await (await engine.get(id)).approve(step, vote)),
    },
  };
}
