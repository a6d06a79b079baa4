// Wraps the functions of compensations and of map items as agents. Their contexts have other members than that of a step.

import type { EpochMs, Json, JsonObject } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import type { RunCall } from "../agents/recorded-call.ts";
import type {
  CompensationContext,
  ExecutionInfo,
  HandlerContext,
  ItemContext,
  StepInfo,
} from "../agents/step-context.ts";
import type { StepLogger } from "../events/logger.ts";

/** The input of an item's step; the two names are those of the contract. */
export const ITEM_INPUT: Json = Object.freeze({ item: "${ item }", index: "${ index }" });

export function itemAgent(handler: (context: never) => unknown): Agent {
  return {
    needsDependencyOutputs: false,
    execute: (_, context) => handler(new OwnItemContext(context as HandlerContext<unknown>) as never),
  };
}

export function compensationAgent(handler: (context: never) => unknown): Agent {
  return {
    needsDependencyOutputs: false,
    execute: (_, context) => handler(new OwnCompensationContext(context as HandlerContext<unknown>) as never),
  };
}

/** Reads the members that all contexts have when the function reads them. */
class DerivedContext {
  readonly #context: HandlerContext<unknown>;

  constructor(context: HandlerContext<unknown>) {
    this.#context = context;
  }

  /** The input of the step; the derived contexts are made from it. */
  protected member(name: string): Json {
    return (this.#context.input as JsonObject)[name]!;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get execution(): ExecutionInfo {
    return this.#context.execution;
  }

  get step(): StepInfo {
    return this.#context.step;
  }

  get attempt(): number {
    return this.#context.attempt;
  }

  get deadline(): EpochMs | undefined {
    return this.#context.deadline;
  }

  get token(): string {
    return this.#context.token;
  }

  get secrets(): Readonly<Record<string, string>> {
    return this.#context.secrets;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#context.resources;
  }

  get log(): StepLogger {
    return this.#context.log;
  }

  get run(): RunCall {
    return this.#context.run;
  }

  heartbeat(): void {
    this.#context.heartbeat();
  }
}

class OwnItemContext extends DerivedContext implements ItemContext<Json> {
  get item(): Json {
    return this.member("item");
  }

  get index(): number {
    return this.member("index") as number;
  }
}

class OwnCompensationContext extends DerivedContext implements CompensationContext<Json> {
  get output(): Json {
    return this.member("output");
  }

  get input(): Json {
    return this.member("input");
  }
}
