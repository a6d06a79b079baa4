import { SegnoError } from "@segno/kernel";

/** A module with a workflow may load its own copy of Segno, whose errors have another class and the same name. */
export function isSegnoError(error: unknown): error is SegnoError {
  if (error instanceof SegnoError) return true;
  return error instanceof Error && error.name === "SegnoError" && typeof Reflect.get(error, "code") === "string";
}
