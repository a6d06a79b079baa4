import { isNameTaken } from "./plain-file.ts";

/**
 * A log or rollback journal beside the path of a store. SQLite would apply it to a store that is created at this path.
 */
export function findLeftLog(file: string): string | undefined {
  return ["-wal", "-journal"].map((suffix) => `${file}${suffix}`).find((path) => isNameTaken(path));
}
