import type { JsonPath } from "../model/json.ts";

/** A mistake in a definition. `path` is its position; a loader converts the path into a line and a column. */
export interface Problem {
  /** A code of the package that found the problem. */
  readonly code: string;
  readonly path: JsonPath;
  readonly message: string;
  /** The remedy, if it is known: "did you mean …", or the line to add. */
  readonly hint?: string;
}
