import type { z } from "zod";

import { durationSchema, type RawDuration } from "./duration.ts";
import { strictObject, record, string, wholeNumber, boolean } from "./zod-helpers.ts";
import { limitsSchema, type RawLimits } from "./limits.ts";
import { nameSchema } from "./name.ts";

export interface RawAgent {
  readonly module?: string;
  readonly export?: string;
  readonly thread?: boolean;
  readonly limits?: RawLimits;
  readonly breaker?: RawBreaker;
}

export interface RawBreaker {
  readonly failures?: number;
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
