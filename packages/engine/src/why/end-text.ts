// Describes an end as text that follows its status (STATE-10).

import type { Failure } from "@segno/kernel";
import type { EndedReason, SkipCause } from "./reason.ts";

export function endText(ended: EndedReason): string {
  const { failure, skip, stopped, reason, undone } = ended;
  if (failure !== undefined) return `: ${firstLine(failure)}`;
  if (skip !== undefined) return skipText(skip);
  if (stopped !== undefined) return `${reasonSuffix(reason)}; ${STOPPED[stopped]}`;
  return undone === true ? ", and was undone" : reasonSuffix(reason);
}

const STOPPED: Readonly<Record<NonNullable<EndedReason["stopped"]>, string>> = {
  unbegun: "it had not started",
  itself: "it stopped by itself when it was asked to",
  "by-force": "it was asked to stop, did not stop, and was ended by force",
};

function skipText(skip: SkipCause): string {
  switch (skip.kind) {
    case "condition":
      return `, because its condition was false${reasonSuffix(skip.condition)}`;
    case "skipped-by-handler":
      return skip.message === ""
        ? ", because its handler returned `skip`"
        : `, because its handler returned \`skip\`: ${skip.message}`;
    case "disabled":
      return ", because it is disabled (`enabled: false`)";
    case "failing":
      return skip.message === "" ? "" : `, because ${skip.message}`;
    case "dependency-failed":
      return dependencyText(skip);
    case "fallback-unused":
      return `, because \`${skip.primary}\` needed no fallback`;
  }
}

function dependencyText({ dependency, failure }: SkipCause & { kind: "dependency-failed" }): string {
  return failure === undefined
    ? `, because \`${dependency}\` did not succeed`
    : `, because \`${dependency}\` failed: ${firstLine(failure)}`;
}

/** Commands and stack traces have several lines; the reason has the complete text. */
function firstLine({ message, code }: Failure): string {
  const line = message.trim().split(/[\r\n]/u, 1)[0]!;
  return line === "" ? code : line;
}

function reasonSuffix(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : `: ${reason}`;
}
