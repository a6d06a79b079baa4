// Wraps the functions of compensations and of map items as agents. Their contexts have other members than that of a step.

import type { Json } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import { DerivedContext } from "../agents/derived-context.ts";
import type { CompensationContext, ItemContext } from "../agents/step-context.ts";

/** The input of an item's step; the two names are those of the contract. */
export const ITEM_INPUT: Json = Object.freeze({ item: "${ item }", index: "${ index }" });

export function itemAgent(handler: (context: never) => unknown): Agent {
  return {
    needsDependencyOutputs: false,
    execute: (_, context) => handler(new OwnItemContext(context) as never),
  };
}

export function compensationAgent(handler: (context: never) => unknown): Agent {
  return {
    needsDependencyOutputs: false,
    execute: (_, context) => handler(new OwnCompensationContext(context) as never),
  };
}

class OwnItemContext extends DerivedContext implements ItemContext<Json> {
  get item(): Json {
    return this.inputPart("item");
  }

  get index(): number {
    return this.inputPart("index") as number;
  }
}

class OwnCompensationContext extends DerivedContext implements CompensationContext<Json> {
  get output(): Json {
    return this.inputPart("output");
  }

  get input(): Json {
    return this.inputPart("input");
  }
}
