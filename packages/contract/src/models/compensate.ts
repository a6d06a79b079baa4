import type { Json } from "@segno/kernel";
import type { z } from "zod";

import { callShape, type CallDocument, type Scalar } from "./call.ts";
import { durationModel, type DurationDocument } from "./duration.ts";
import { environmentModel } from "./environment.ts";
import { strictObject, json, list } from "./zod-helpers.ts";
import { secretNameModel } from "./name.ts";
import { retryModel, type RetryDocument } from "./retry.ts";
import { CALL_KINDS, type CompensationKey } from "./step-keys.ts";

export interface CompensateDocument extends CallDocument {
  readonly input?: Json;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly secrets?: readonly string[];
  readonly retry?: RetryDocument;
  readonly timeout?: DurationDocument;
}

export const compensateModel: z.ZodType<CompensateDocument> = strictObject(
  {
    ...callShape,
    input: json.meta({ description: "A template; it may read its own step." }).exactOptional(),
    env: environmentModel.exactOptional(),
    secrets: list(secretNameModel, "a list of names of secrets").exactOptional(),
    retry: retryModel.exactOptional(),
    timeout: durationModel.meta({ description: "Bounds one attempt." }).exactOptional(),
  } satisfies { readonly [Key in CompensationKey]: z.ZodType<CompensateDocument[Key]> },
  "a compensation: a map with one of `run`, `exec`, `agent` and `http`",
).meta({ id: "Compensate", oneOf: CALL_KINDS.map((kind) => ({ required: [kind] })) });
