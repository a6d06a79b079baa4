// The attempts of steps that are created at run time: fixes, sessions after an answer, tasks that appear later, and merges.

import type { RawStep } from "@segno/contract";
import { ErrorType } from "../model/error-type.ts";
import type { CodeSettings } from "./step-values.ts";

export function sessionAttempts(settings: CodeSettings): Pick<RawStep, "retry" | "timeout"> {
  return { ...mergeAttempts(settings), timeout: `${settings.taskTimeoutMs}ms` };
}

export function mergeAttempts({ retry }: CodeSettings): Pick<RawStep, "retry"> {
  return {
    retry: {
      attempts: retry.maxAttempts,
      base: `${retry.baseDelay}ms`,
      factor: retry.backoffMultiplier,
      max: `${retry.maxDelay}ms`,
      on: retry.retryableErrors.includes(ErrorType.AgentTimeout) ? ["transient", "timeout"] : ["transient"],
    },
  };
}
