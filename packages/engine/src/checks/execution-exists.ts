import { SegnoError } from "@segno/kernel";

/** Refuses a start whose id is taken: by an execution, or by a start that waits for the owner of the store (K12). */
export function executionExists(id: string): SegnoError {
  return new SegnoError("EXECUTION_EXISTS", `an execution ${id} already exists, or its start is already posted`);
}
