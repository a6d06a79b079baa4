import { SegnoError } from "@segno/kernel";

export function unknownExecution(id: string): SegnoError {
  return new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`);
}
