// Wraps the function of a map as an agent; the function gets its item first.

import type { Json } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { StepContext } from "../agents/step-context.ts";
import type { ItemHandler, ItemInput } from "./flow-work.ts";

/** The input of an item's step; the two names are those of the contract. */
export const ITEM_INPUT: Json = Object.freeze({ item: "${ item }", index: "${ index }" });

export function itemAgent(handler: ItemHandler<never, unknown>): Agent {
  const work = handler as ItemHandler<Json, unknown>;
  return {
    needsDependencyOutputs: false,
    execute: (_, context) => {
      const given = context as unknown as StepContext<ItemInput<Json>>;
      return work(given.input.item, given);
    },
  };
}
