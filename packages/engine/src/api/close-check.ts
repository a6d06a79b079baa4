// Checks the options of `Engine.close`.

import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, MILLISECONDS } from "../checks/option-rules.ts";

/** How an engine is closed. */
export interface CloseOptions {
  /** How long running attempts may take to finish, in milliseconds. Without it the engine aborts them at once. */
  readonly drainMs?: number;
}

export function checkClose(options: CloseOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("close", options, { drainMs: MILLISECONDS });
}
