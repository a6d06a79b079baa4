import type { JsonSchema } from "@segno/kernel";
import type { z } from "zod";

import { durationSchema, type RawDuration } from "./duration.ts";
import { jsonSchemaSchema } from "./json-schema.ts";
import { oneOf, strictObject, list, string, wholeNumber } from "./zod-helpers.ts";

/** A step that waits until people approve. */
export interface RawApprove {
  /** The people who may vote. The default is everybody. */
  readonly by?: readonly string[];
  /** The number of people who must approve. The default is 1. */
  readonly quorum?: number;
  /** How long people can vote. The default is no limit. */
  readonly expires?: RawDuration;
  /** The decision when the approval expires. The default is `reject`. */
  readonly onExpire?: "reject" | "approve";
  /** The question for the voters; a template. */
  readonly message?: string;
  /** The JSON Schema of the answer that each vote to approve must have. Without it, votes have no answer. */
  readonly schema?: JsonSchema;
}

export const approveSchema: z.ZodType<RawApprove> = strictObject(
  {
    // A rule refuses an empty list with its own message: nobody could give this approval.
    by: list(string("a person or a group"), "a list of people or groups")
      .meta({ description: "The people who may vote; everybody when it is absent.", minItems: 1 })
      .exactOptional(),
    quorum: wholeNumber(1, 1000)
      .meta({ description: "The number of approvals that are needed.", default: 1 })
      .exactOptional(),
    expires: durationSchema
      .meta({ description: "How long people can vote; without a limit when it is absent." })
      .exactOptional(),
    onExpire: oneOf("reject", "approve")
      .meta({ description: "The decision when the approval expires.", default: "reject" })
      .exactOptional(),
    message: string("text").meta({ description: "The question to the voters; a template." }).exactOptional(),
    schema: jsonSchemaSchema
      .meta({ description: "The schema of the answer that each vote to approve must have." })
      .exactOptional(),
  },
  "a map of `by`, `quorum`, `expires`, `onExpire`, `message` and `schema`",
).meta({ id: "Approve" });
