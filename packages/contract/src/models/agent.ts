import type { z } from "zod";

import { durationSchema, type RawDuration } from "./duration.ts";
import { strictObject, record, string, wholeNumber, boolean } from "./zod-helpers.ts";
import { limitsSchema, type RawLimits } from "./limits.ts";
import { nameSchema } from "./name.ts";

/** An agent that a contract declares under `agents`. */
export interface RawAgent {
  /** A path or a package that exports the agent. Without it, the program registers the agent. */
  readonly module?: string;
  /** The name of the module's export. The default is `default`. */
  readonly export?: string;
  /** Runs the agent on a worker thread, which can be ended at any time. The default is false. */
  readonly thread?: boolean;
  /** Limits of all steps that call the agent. */
  readonly limits?: RawLimits;
  /** The circuit breaker of the agent. */
  readonly breaker?: RawBreaker;
}

/** The circuit breaker of an agent: after failures in a row, no step calls the agent for a while. */
export interface RawBreaker {
  /** The number of failures in a row that open the breaker. The default is 5. */
  readonly failures?: number;
  /** The time after which the open breaker lets one call pass. The default is `30s`. */
  readonly cooldown?: RawDuration;
}

const breakerSchema: z.ZodType<RawBreaker> = strictObject(
  {
    failures: wholeNumber(1, 10_000)
      .meta({ description: "The number of consecutive failures that opens the breaker.", default: 5 })
      .exactOptional(),
    cooldown: durationSchema
      .meta({ description: "The time after which one probe is allowed.", default: "30s" })
      .exactOptional(),
  },
  "a breaker: a map of `failures` and `cooldown`",
);

const agentSchema: z.ZodType<RawAgent> = strictObject(
  {
    module: string("the path or name of a module")
      .meta({ description: "The module that holds the agent; absent when code registers it." })
      .exactOptional(),
    export: string("the name of an export")
      .meta({ description: "The module's export.", default: "default" })
      .exactOptional(),
    thread: boolean().meta({ description: "Runs the agent on a worker thread.", default: false }).exactOptional(),
    limits: limitsSchema.meta({ description: "Limits of this agent over all steps." }).exactOptional(),
    breaker: breakerSchema.meta({ description: "Stops the calls of an agent that fails repeatedly." }).exactOptional(),
  },
  "an agent: a map of `module`, `export`, `thread`, `limits` and `breaker`",
).meta({ id: "Agent" });

export const agentsSchema: z.ZodType<Readonly<Record<string, RawAgent>>> = record(
  nameSchema("an agent"),
  agentSchema,
  "a map from names to agents",
);
