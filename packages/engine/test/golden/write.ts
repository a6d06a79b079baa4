// npm run golden
//
// Plays all scenarios and writes the golden files of the unreleased format. The database is kept while its content is
// unchanged: another release of SQLite is no reason for another file.

import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readContent, withDatabase } from "./golden-database.ts";
import { databaseFile, journalFile, journalNames, NEXT, readGolden, viewFile } from "./golden-files.ts";
import { makeGolden } from "./golden-journal.ts";
import { SCENARIOS } from "./scenarios.ts";

function isKept(made: string): boolean {
  const kept = databaseFile(NEXT);
  if (!existsSync(kept)) return false;
  const folder = mkdtempSync(join(tmpdir(), "segno-golden-"));
  try {
    const copy = join(folder, "kept.db");
    copyFileSync(kept, copy);
    return readContent(copy) === readContent(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(NEXT, { recursive: true });
for (const name of journalNames(NEXT))
  for (const file of [journalFile, viewFile]) rmSync(file(NEXT, name), { force: true });
for (const scenario of SCENARIOS) {
  const { journal, view } = await makeGolden(scenario);
  writeFileSync(journalFile(NEXT, scenario.name), journal);
  writeFileSync(viewFile(NEXT, scenario.name), view);
}
await withDatabase(
  (name) => readGolden(journalFile(NEXT, name)),
  (made) => {
    if (isKept(made)) return;
    copyFileSync(made, databaseFile(NEXT));
    // Stores are private to their owner; this one is public.
    chmodSync(databaseFile(NEXT), 0o644);
  },
);
process.stdout.write(`${SCENARIOS.length} journals and a database in ${relative(process.cwd(), NEXT)}\n`);
