import { PermanentError } from "@segno/kernel";

/** An error after which the step is not tried again. It keeps the code of its cause. */
export function permanentError(error: Error): Error {
  const { code } = error as { readonly code?: unknown };
  const permanent = new PermanentError(error.message, { cause: error });
  return typeof code === "string" ? Object.assign(permanent, { code }) : permanent;
}
