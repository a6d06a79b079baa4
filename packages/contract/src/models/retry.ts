import { groupedDigits } from "../text/grouped-digits.ts";
import type { RetryCause } from "@segno/kernel";
import type { z } from "zod";

import { pauseSchema, type RawDuration } from "./duration.ts";
import { oneOf, strictObject, number, union, list, wholeNumber } from "./zod-helpers.ts";

/** When and how often a failed attempt is repeated. */
export interface RawRetryPolicy {
  /** The number of attempts, the first included. The default is 3. */
  readonly attempts?: number;
  /** The delay before the second attempt. The default is `1s`. */
  readonly base?: RawDuration;
  /** The factor between two delays. The default is 2. */
  readonly factor?: number;
  /** The longest delay. The default is `30s`. */
  readonly max?: RawDuration;
  /** `full` uses a random fraction of each delay. The default is `none`. */
  readonly jitter?: "none" | "full";
  /** The classes of failures that are retried. The default is transient failures. */
  readonly on?: readonly RetryCause[];
  /** Exit codes of a command that are retried. 75 always is. */
  readonly exitCodes?: readonly number[];
}

/** The number of attempts, the first included, or a policy. */
export type RawRetry = number | RawRetryPolicy;

const ATTEMPTS_MAX = 1000;
const EXPECTED = `a number of attempts from 1 to ${groupedDigits(ATTEMPTS_MAX)}, or a map of \`attempts\`, \`base\`, \`factor\`, \`max\`, \`jitter\`, \`on\` and \`exitCodes\``;

const policy = strictObject(
  {
    attempts: wholeNumber(1, ATTEMPTS_MAX)
      .meta({ description: "Attempts in all, the first one included.", default: 3 })
      .exactOptional(),
    base: pauseSchema.meta({ description: "The delay before the second attempt.", default: "1s" }).exactOptional(),
    factor: number(1, 100)
      .meta({ description: "The factor by which each delay is longer than the one before.", default: 2 })
      .exactOptional(),
    max: pauseSchema.meta({ description: "No delay is longer than this.", default: "30s" }).exactOptional(),
    jitter: oneOf("none", "full")
      .meta({ description: "`full` uses a random fraction of each delay.", default: "none" })
      .exactOptional(),
    on: list(oneOf("transient", "timeout", "schema"), "a list of `transient`, `timeout` and `schema`", 1)
      .meta({
        description:
          "The failures after which the step is retried; `schema` is an output that does not fit its schema.",
        default: ["transient"],
      })
      .exactOptional(),
    exitCodes: list(wholeNumber(1, 255), "a list of exit codes from 1 to 255", 1)
      .meta({ description: "Exit codes of a command after which the step is retried, in addition to 75." })
      .exactOptional(),
  },
  EXPECTED,
);

export const retrySchema: z.ZodType<RawRetry> = union([wholeNumber(1, ATTEMPTS_MAX), policy], EXPECTED).meta({
  id: "Retry",
  description: "The number of attempts in all, or a retry policy.",
});
