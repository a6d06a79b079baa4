// The attempts of sessions that are created at run time: fixes, sessions after an answer, and tasks that appear later.

import type { RawStep } from "@segno/contract";
import type { CodeSettings } from "./step-values.ts";

export function sessionAttempts({ retry }: CodeSettings): Pick<RawStep, "retry"> {
  return {
    retry: {
      attempts: retry.maxAttempts,
      base: `${retry.baseDelay}ms`,
      factor: retry.backoffMultiplier,
      max: `${retry.maxDelay}ms`,
      on: ["transient"],
    },
  };
}
