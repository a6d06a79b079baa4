import type { JsonPath } from "../model/json.ts";

/** One thing that is wrong with a definition. `path` says where; a loader turns it into a line and a column. */
export interface Problem {
  /** A code of the package that found the problem. */
  readonly code: string;
  readonly path: JsonPath;
  readonly message: string;
  /** What to do about it, when that can be known: "did you mean …", the line to add. */
  readonly hint?: string;
}
