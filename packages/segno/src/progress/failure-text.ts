// What failed, in the words of a line. A scope fails because a step inside it did: that one's message is told where it failed.

import type { Failure } from "@segno/kernel";

/** What a failure of scopes goes back to. */
export function rootFailure(failure: Failure): Failure {
  let root = failure;
  while (root.code === "SCOPE_FAILED" && root.cause !== undefined) root = root.cause;
  return root;
}

/** The first line of the message; commands and stack traces have more. Of a scope, only which step inside failed. */
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
