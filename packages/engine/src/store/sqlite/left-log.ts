import { existsSync } from "node:fs";

/** A log or rollback file beside the name of a store, which SQLite would write into a store that gets this name. */
export function findLeftLog(file: string): string | undefined {
  return ["-wal", "-journal"].map((suffix) => `${file}${suffix}`).find((path) => existsSync(path));
}
