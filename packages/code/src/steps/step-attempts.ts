// The attempts of steps that are created at run time: fixes, sessions after an answer, tasks that appear later, and merges.

import type { RawStep } from "@segno/contract";
import type { CodeSettings } from "./step-values.ts";

export function stepAttempts({ retry }: CodeSettings): Pick<RawStep, "retry"> {
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
