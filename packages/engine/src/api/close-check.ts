// Whether an engine can be closed as somebody asked.

import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, MILLISECONDS } from "../checks/option-rules.ts";

export interface CloseOptions {
  /** How long what runs may take to end. */
  readonly drainMs?: number;
}

export function checkClose(options: CloseOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("close", options, { drainMs: MILLISECONDS });
}
