import type { JsonSchema } from "@segno/kernel";
import type { z } from "zod";

import { durationSchema, type RawDuration } from "./duration.ts";
import { jsonSchemaSchema } from "./json-schema.ts";
import { strictObject, string } from "./zod-helpers.ts";
import { nameSchema } from "./name.ts";

/** Exactly one of `signal`, `for` and `until`; `schema` and `timeout` belong to `signal`. */
export interface RawWait {
  /** The name of the signal that the step waits for. Its payload is the output. */
  readonly signal?: string;
  /** The JSON Schema of the payload. Only beside `signal`. */
  readonly schema?: JsonSchema;
  /** The step fails if no signal has come after this time. Only beside `signal`. */
  readonly timeout?: RawDuration;
  /** Waits for this duration. */
  readonly for?: RawDuration;
  /** Waits until this time, such as `2030-01-31T09:00:00Z`; a template. */
  readonly until?: string;
}

export const WAIT_KINDS = ["signal", "for", "until"] as const;

export const waitSchema: z.ZodType<RawWait> = strictObject(
  {
    signal: nameSchema("a signal")
      .meta({ description: "Waits for this signal; its payload is the step's output." })
      .exactOptional(),
    schema: jsonSchemaSchema.meta({ description: "The schema of the signal's payload." }).exactOptional(),
    timeout: durationSchema.meta({ description: "How long to wait for the signal." }).exactOptional(),
    for: durationSchema.meta({ description: "Waits for this duration." }).exactOptional(),
    until: string("a time such as `2030-01-31T09:00:00Z`, or a template that gives one")
      .meta({ description: "Waits until this time." })
      .exactOptional(),
  },
  "a map of `signal`, `for` or `until`",
).meta({ id: "Wait", oneOf: WAIT_KINDS.map((kind) => ({ required: [kind] })) });
