import type { z } from "zod";

import { durationModel, type DurationDocument } from "./duration.ts";
import { strictObject, record, string, wholeNumber, boolean } from "./zod-helpers.ts";
import { limitsModel, type LimitsDocument } from "./limits.ts";
import { nameModel } from "./name.ts";

export interface AgentDocument {
  readonly module?: string;
  readonly export?: string;
  readonly thread?: boolean;
  readonly limits?: LimitsDocument;
  readonly breaker?: BreakerDocument;
}

export interface BreakerDocument {
  readonly failures?: number;
  readonly cooldown?: DurationDocument;
}

const breakerModel: z.ZodType<BreakerDocument> = strictObject(
  {
    failures: wholeNumber(1, 10_000)
      .meta({ description: "So many failures in a row open the breaker.", default: 5 })
      .exactOptional(),
    cooldown: durationModel.meta({ description: "So much later one probe may pass.", default: "30s" }).exactOptional(),
  },
  "a breaker: a map of `failures` and `cooldown`",
);

const agentModel: z.ZodType<AgentDocument> = strictObject(
  {
    module: string("the path or name of a module")
      .meta({ description: "The module that holds the agent; absent when code registers it." })
      .exactOptional(),
    export: string("the name of an export")
      .meta({ description: "The module's export.", default: "default" })
      .exactOptional(),
    thread: boolean().meta({ description: "Run it on a thread of its own.", default: false }).exactOptional(),
    limits: limitsModel.meta({ description: "Limits of this agent over all steps." }).exactOptional(),
    breaker: breakerModel.meta({ description: "When to stop calling an agent that keeps failing." }).exactOptional(),
  },
  "an agent: a map of `module`, `export`, `thread`, `limits` and `breaker`",
).meta({ id: "Agent" });

export const agentsModel: z.ZodType<Readonly<Record<string, AgentDocument>>> = record(
  nameModel("an agent"),
  agentModel,
  "a map from names to agents",
);
