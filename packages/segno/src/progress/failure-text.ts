// Describes a failure in one line. A scope fails because a step inside it failed, and that step's own line has the message.

import type { Failure } from "@segno/kernel";

/** The failure that caused the failures of the scopes around it. */
export function rootFailure(failure: Failure): Failure {
  let root = failure;
  while (root.code === "SCOPE_FAILED" && root.cause !== undefined) root = root.cause;
  return root;
}

/** The first line of the message; commands and stack traces have more. For a scope, only the step inside that failed. */
export function failureText(failure: Failure): string {
  const { message, code } = withoutRoot(failure);
  return (
    message
      .split(/[\r\n]/u)
      .find((line) => line.trim() !== "")
      ?.trim() ?? code
  );
}

function withoutRoot(failure: Failure): Failure {
  const root = rootFailure(failure);
  const tail = `: ${root.message}`;
  if (root === failure || !failure.message.endsWith(tail)) return failure;
  return { ...failure, message: failure.message.slice(0, -tail.length) };
}
