// Runs one of SQLite's own checks of a file.
//
// SQLite does not fail if it cannot read a page during a check, but reports that page in its result, like damage. Then
// nothing is known: the pages that only this page names count as unused, and their rows as missing.

import type { DatabaseSync } from "node:sqlite";
import { StoreFault } from "../store-fault.ts";

/** A line such as `Tree 5 page 7 cell 2: unable to get the page. error code=522`. */
const UNREAD = /unable to get the page\. error code=(?<code>\d+)|failed to get page|failed to read ptrmap/iu;
const SQLITE_CORRUPT = 11;

/** The problems that a check finds. Throws `STORE_IO` if the check could not read the whole file. */
export function checkPages(database: DatabaseSync, check: string): readonly string[] {
  const rows = database.prepare(`PRAGMA ${check}`).all();
  const problems = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== "ok");
  const unread = problems.flatMap((problem) => problem.split("\n")).find((line) => isUnread(line));
  if (unread === undefined) return problems;
  throw new StoreFault("STORE_IO", `the store: it could not be read, so it could not be checked (${unread})`);
}

function isUnread(line: string): boolean {
  const match = UNREAD.exec(line);
  if (match === null) return false;
  const { code } = match.groups!;
  return code === undefined || (Number(code) & 0xff) !== SQLITE_CORRUPT;
}
