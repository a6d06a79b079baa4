// Commands about the journal itself, and about Segno.

import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

export function addJournalCommands(registry: CommandRegistry): void {
  registry.group("Looking after it:");

  const db = registry
    .add("db", ["segno db check", "segno db backup nightly.db"])
    .description("look after the journal: check, repair, recover, vacuum, backup, export, import")
    .usage("<command> [options]");

  registry
    .add("check", ["segno db check", "segno db check --json"], db)
    .description("read every execution and check that nothing was changed, cut or lost")
    .addOption(jsonOption("the findings"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db-check.ts")).dbCheck));

  registry
    .add("repair", ["segno db repair", "segno db repair --db old.db --json"], db)
    .description("make again from the journals what the store says about executions")
    .addOption(jsonOption("what was repaired"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db-check.ts")).dbRepair));

  registry
    .add("recover", ["segno db recover 01a1e272", "segno db recover @last --json"], db)
    .description("check an execution that was set aside, and let it go on")
    .argument("<id>", "the execution, the beginning of its id, or @last")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db-check.ts")).dbRecover));

  registry
    .add("vacuum", ["segno db vacuum", "segno db vacuum --db old.db"], db)
    .description("give back the room that removed executions left")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db.ts")).dbVacuum));

  registry
    .add("backup", ["segno db backup nightly.db", "segno db backup /backups/segno.db --db work.db"], db)
    .description("write a consistent copy, also while executions run")
    .argument("<file>", "the copy; it must not exist")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db.ts")).dbBackup));

  registry
    .add("export", ["segno db export @last > execution.jsonl", "segno db export 01a1e272 execution.jsonl"], db)
    .description("write one execution as lines of JSON")
    .argument("<id>", "the execution, the beginning of its id, or @last")
    .argument("[file]", "a file that must not exist; standard output when it is left out")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db.ts")).dbExport));

  registry
    .add("import", ["segno db import execution.jsonl", "segno db import - < execution.jsonl"], db)
    .description("take in what was exported; what is unfinished goes on with segno work")
    .argument("<file>", "what was exported; - reads standard input")
    .addOption(jsonOption("the answer"))
    .addOption(databaseOption())
    .action(registry.handler(async () => (await import("../verbs/db.ts")).dbImport));

  registry
    .add("explain", ["segno explain DEPENDENCY_CYCLE", "segno explain execution_timeout --json"])
    .description("say what an error code means and what to do about it")
    .argument("<code>", "a code, as messages have it")
    .addOption(jsonOption("it"))
    .action(registry.handler(async () => (await import("../verbs/explain.ts")).explain));
}
