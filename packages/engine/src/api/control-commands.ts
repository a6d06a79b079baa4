// Control commands: the requests that a handle can send to an execution.
//
//   S1. A malformed command is rejected here, before anything is posted. The turn that takes a command decides whether
//       it fits the execution. If this process owns the execution, the caller gets that decision as the result;
//       otherwise the journal records it. Callers in plain JavaScript can pass any value, so wrong types have an error
//       code, too.
//   S2. Signals and votes have ids and count once by id, so a caller that is unsure whether one arrived can send it
//       again.

import { isSignalName, SegnoError, VALUE_BYTES_MAX, type Json, type Vote } from "@segno/kernel";
import { describeKind, quoteText } from "@segno/kernel/describe-value";
import type { CancelOptions, RetryOptions, VoteOptions } from "../inbox/command-options.ts";
import { checkName } from "../checks/names.ts";
import { ANYTHING, checkOptions, isObject } from "../checks/option-rules.ts";
import { cancelProblem, copyAnswer, isVoter, type ExecutionCommand } from "../inbox/command.ts";

/** The default reason of a cancellation. */
export const CANCEL_REASON = "cancelled";

export function cancelCommand(options: CancelOptions): ExecutionCommand {
  if (typeof options !== "object" || options === null)
    throw new SegnoError("OPTION_INVALID", `the options of \`cancel\` are an object, not ${describeKind(options)}`);
  checkOptions("cancel", options, { mode: ANYTHING, reason: ANYTHING, graceMs: ANYTHING, compensate: ANYTHING });
  const { mode = "abort", reason = CANCEL_REASON, graceMs, compensate } = options;
  const command = {
    kind: "cancel",
    mode,
    reason,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(compensate === undefined ? {} : { compensate }),
  } as const;
  if (typeof reason === "string") checkSize("the reason of a cancellation", reason);
  const problem = cancelProblem(command);
  if (problem === undefined) return command;
  throw new SegnoError("OPTION_INVALID", `the options of \`cancel\`: ${problem}`);
}

export function retryCommand(options: RetryOptions): ExecutionCommand {
  if (typeof options !== "object" || options === null)
    throw new SegnoError("OPTION_INVALID", `the options of \`retry\` are an object, not ${describeKind(options)}`);
  checkOptions("retry", options, { undo: ANYTHING, tolerated: ANYTHING });
  const { undo = false, tolerated = false } = options;
  for (const [name, value] of Object.entries({ undo, tolerated }))
    if (typeof value !== "boolean")
      throw new SegnoError(
        "OPTION_INVALID",
        `the options of \`retry\`: \`${name}\` is true or false, not ${describeKind(value)}`,
      );
  if (undo && tolerated)
    throw new SegnoError("OPTION_INVALID", "the options of `retry`: `undo` and `tolerated` cannot be used together");
  return { kind: "retry", ...(undo ? { undo } : {}), ...(tolerated ? { tolerated } : {}) };
}

export function checkSignalOptions(options: { readonly id?: string }): void {
  if (isObject(options)) checkOptions("signal", options, { id: ANYTHING });
}

export function signalCommand(id: string, name: string, payload: Json): ExecutionCommand {
  checkName("the name of a signal", name);
  checkId("a signal", id);
  if (!isSignalName(name))
    throw new SegnoError("NAME_INVALID", `no step can wait for the signal ${quoteText(name)}: ${FORM}`);
  return { kind: "signal", id, name, payload };
}

const FORM = "a name is a letter or `_`, then letters, digits, `_`, `.` and `-`";

/** `newId` generates an id for a vote that has none. */
export function voteCommand(
  verdict: Vote["verdict"],
  step: string,
  options: VoteOptions,
  newId: () => string,
): ExecutionCommand {
  if (isObject(options)) checkOptions("a vote", options, VOTE_OPTIONS);
  const { id, by, comment, answer } = { ...options, id: options?.id ?? newId() };
  checkName("the name of a step", step);
  checkName("the name of a voter", by);
  checkId("a vote", id);
  if (!isVoter(by))
    throw new SegnoError(
      "NAME_INVALID",
      `a vote needs the name of its voter in \`by\`, and ${quoteText(by)} is not a name`,
    );
  if (comment !== undefined && typeof comment !== "string")
    throw new SegnoError("INPUT_INVALID", `the comment of a vote is text, not ${describeKind(comment)}`);
  if (comment !== undefined) checkSize("the comment of a vote", comment);
  if (verdict === "changes" && (comment === undefined || comment.trim() === ""))
    throw new SegnoError("INPUT_INVALID", "a request for changes needs a `comment` that says what to change");
  return {
    kind: "vote",
    step,
    id,
    by,
    verdict,
    ...(comment === undefined ? {} : { comment }),
    ...(answer === undefined ? {} : { answer: copyAnswer(answer) }),
  };
}

const VOTE_OPTIONS = { by: ANYTHING, comment: ANYTHING, answer: ANYTHING, id: ANYTHING };

/** JOURNAL-4. */
function checkSize(what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX)
    throw new SegnoError("VALUE_TOO_LARGE", `${what} has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`);
}

function checkId(of: string, id: string): void {
  checkName(`the id of ${of}`, id);
  if (id === "") throw new SegnoError("NAME_INVALID", `the id of ${of} must not be empty`);
}
