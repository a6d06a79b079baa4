// Wraps the functions of compensations and of map items as agents. Their contexts have other members than that of a step.

import type { Json } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import { DerivedContext } from "../agents/derived-context.ts";
import type { CompensationContext, HandlerContext, ItemContext, StepContext } from "../agents/step-context.ts";

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

/** The function of a step whose condition is a step of its own: the `outputs` have only the dependencies that the user wrote. */
export function conditionedAgent(handler: (context: never) => unknown, condition: string): Agent {
  return {
    execute: (outputs, context) => {
      const { [condition]: _, ...written } = outputs;
      return handler(new ConditionedContext(context, written) as never);
    },
  };
}

class ConditionedContext extends DerivedContext implements HandlerContext<Readonly<Record<string, Json>>> {
  readonly outputs: Readonly<Record<string, Json>>;
  readonly #step: StepContext;

  constructor(step: StepContext, outputs: Readonly<Record<string, Json>>) {
    super(step);
    this.outputs = outputs;
    this.#step = step;
  }

  get input(): Json {
    return this.#step.input;
  }
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
