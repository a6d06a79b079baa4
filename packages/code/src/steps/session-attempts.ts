// The attempts of sessions that are created at run time: fixes, sessions after an answer, and tasks that appear later.

import type { RawStep } from "@segno/contract";
import { ErrorType } from "../model/error-type.ts";
import type { CodeSettings } from "./step-values.ts";

export function sessionAttempts({ retry, taskTimeoutMs }: CodeSettings): Pick<RawStep, "retry" | "timeout"> {
  return {
    retry: {
      attempts: retry.maxAttempts,
      base: `${retry.baseDelay}ms`,
      factor: retry.backoffMultiplier,
      max: `${retry.maxDelay}ms`,
      on: retry.retryableErrors.includes(ErrorType.AgentTimeout) ? ["transient", "timeout"] : ["transient"],
    },
    timeout: `${taskTimeoutMs}ms`,
  };
}
