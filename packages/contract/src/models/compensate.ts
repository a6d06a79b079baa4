import type { Json } from "@segno/kernel";
import type { z } from "zod";

import { callShape, type RawCall, type Scalar } from "./call.ts";
import { commandShape, type RawShell } from "./command.ts";
import { durationSchema, type RawDuration } from "./duration.ts";
import { environmentSchema } from "./environment.ts";
import { strictObject, json, list } from "./zod-helpers.ts";
import { secretNameSchema } from "./name.ts";
import { retrySchema, type RawRetry } from "./retry.ts";
import { CALL_KINDS, type CompensationKey } from "./step-keys.ts";

/** The call that undoes a step which succeeded. Its templates can read the step. */
export interface RawCompensate extends RawCall {
  /** The input of the call; a template. */
  readonly input?: Json;
  /** Environment variables of the command; templates. */
  readonly env?: Readonly<Record<string, Scalar>>;
  /** The folder in which the command runs; a template. */
  readonly cwd?: string;
  /** The program that runs the script. The default is `sh`. */
  readonly shell?: RawShell;
  /** The standard input of the command; a template. */
  readonly stdin?: Json;
  /** The secrets that the call may use. */
  readonly secrets?: readonly string[];
  /** The number of attempts, or a retry policy. */
  readonly retry?: RawRetry;
  /** The time limit of one attempt. */
  readonly timeout?: RawDuration;
}

export const compensateSchema: z.ZodType<RawCompensate> = strictObject(
  {
    ...callShape,
    input: json.meta({ description: "A template; it can read the step that it undoes." }).exactOptional(),
    env: environmentSchema.exactOptional(),
    ...commandShape,
    secrets: list(secretNameSchema, "a list of names of secrets").exactOptional(),
    retry: retrySchema.exactOptional(),
    timeout: durationSchema.meta({ description: "Limits one attempt." }).exactOptional(),
  } satisfies { readonly [Key in CompensationKey]: z.ZodType<RawCompensate[Key]> },
  "a compensation: a map with one of `run`, `exec`, `agent` and `http`",
).meta({ id: "Compensate", oneOf: CALL_KINDS.map((kind) => ({ required: [kind] })) });
