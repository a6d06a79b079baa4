// Describes to a user how an execution ended, or why it does not make progress.

import {
  failedStep,
  notUndoneSteps,
  stepName,
  undoCount,
  type ExecutionId,
  type Failure,
  type State,
} from "@segno/kernel";
import { ExecutionError } from "../checks/execution-error.ts";
import { recordedError } from "../checks/recorded-error.ts";
import { notUndoneText } from "../why/not-undone.ts";
import { WHOLE } from "../checks/copy-json.ts";
import { CANCEL_REASON } from "./control-commands.ts";

/** The error of a failed or cancelled execution, with the steps that could not be undone. */
export function endError(id: ExecutionId, state: State): ExecutionError {
  const notUndone = notUndoneSteps(state);
  const left = notUndone.length === 0 ? "" : `; ${notUndoneText(notUndone, undoCount(state))}`;
  if (state.baseStatus === "cancelled") {
    const reason = state.cancelling?.reason ?? CANCEL_REASON;
    const because = reason === CANCEL_REASON ? "" : `: ${reason}`;
    return new ExecutionError("EXECUTION_CANCELLED", id, `the execution ${id} was cancelled${because}${left}`, {
      notUndone,
    });
  }
  const { failure } = state.failure ?? {};
  const step = failedStepName(state);
  const message = `the execution ${id} failed${step === undefined ? "" : ` in \`${step}\``}: ${failure === undefined ? "" : failureText(failure)}${left}`;
  return new ExecutionError("EXECUTION_FAILED", id, message, { failure, step, notUndone, cause: failureCause(state) });
}

/** The failure of the innermost step that failed: it has the stack, and the scopes around it do not. */
function failureCause(state: State): Error | undefined {
  const step = failedStep(state);
  const event = step === undefined ? undefined : state.phaseEvents[step];
  const failure = event?.kind === "step.failed" ? event.failure : state.failure?.failure;
  return failure === undefined ? undefined : recordedError(failure);
}

/** The message with its path, unless the message already names the path. */
function failureText({ message, path = "" }: Failure): string {
  return path === "" || path === WHOLE || message.includes(`\`${path}\``) ? message : `${message} (at ${path})`;
}

/** The step that made the execution fail, if a step did. */
export function failedStepName(state: State): string | undefined {
  const step = state.failure?.step;
  return step === undefined ? undefined : stepName(state, step);
}
