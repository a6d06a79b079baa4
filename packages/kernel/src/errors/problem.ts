import type { JsonPath } from "../model/json.ts";
import type { ErrorCode } from "./catalogue.ts";

/** One thing that is wrong with a definition. `path` says where; a loader turns it into a line and a column. */
export interface Problem {
  readonly code: ErrorCode;
  readonly path: JsonPath;
  readonly message: string;
  /** What to do about it, when that can be known: "did you mean …", the line to add. */
  readonly hint?: string;
}
