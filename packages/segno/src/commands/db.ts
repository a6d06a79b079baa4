// `segno db`: the group of commands that maintain the journal. Each command of the group has a file of its own.

import { addDbBackup } from "./db-backup.ts";
import { addDbCheck } from "./db-check.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { addDbExport } from "./db-export.ts";
import { addDbImport } from "./db-import.ts";
import { addDbRecover } from "./db-recover.ts";
import { addDbRepair } from "./db-repair.ts";
import { addDbVacuum } from "./db-vacuum.ts";

export function addDb(registry: CommandRegistry): void {
  const db = registry
    .add("db", ["segno db check", "segno db backup nightly.db"])
    .description("maintain the journal: check, repair, recover, vacuum, backup, export, import")
    .usage("<command> [options]");
  addDbCheck(registry, db);
  addDbRepair(registry, db);
  addDbRecover(registry, db);
  addDbVacuum(registry, db);
  addDbBackup(registry, db);
  addDbExport(registry, db);
  addDbImport(registry, db);
}
