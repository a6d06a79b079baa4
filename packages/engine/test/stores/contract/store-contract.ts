// The contract of a store: one list of claims that every store passes.
//
// It covers the promises of `Store`, `StoreAdmin`, `StepLogs`, `ProcessRecords` and `DocumentStore`, seen from outside. Files, processes
// and servers have their own suites beside their stores.

import { describe, it } from "vitest";
import { ADMIN_CLAIMS } from "./admin-claims.ts";
import type { Claims, Open } from "./claim.ts";
import { COMMIT_CLAIMS } from "./commit-claims.ts";
import { CONTENT_CLAIMS } from "./content-claims.ts";
import { DOCUMENT_CLAIMS } from "./document-claims.ts";
import { FIND_CLAIMS } from "./find-claims.ts";
import { IMPORT_CLAIMS } from "./import-claims.ts";
import { INBOX_CLAIMS } from "./inbox-claims.ts";
import { LOG_CLAIMS } from "./log-claims.ts";
import { PROCESS_CLAIMS } from "./process-claims.ts";
import { RACE_CLAIMS } from "./race-claims.ts";

const CONTRACT: Readonly<Record<string, Claims>> = {
  commit: COMMIT_CLAIMS,
  contents: CONTENT_CLAIMS,
  inbox: INBOX_CLAIMS,
  find: FIND_CLAIMS,
  races: RACE_CLAIMS,
  administration: ADMIN_CLAIMS,
  imports: IMPORT_CLAIMS,
  logs: LOG_CLAIMS,
  processes: PROCESS_CLAIMS,
  documents: DOCUMENT_CLAIMS,
};

/** `open` returns an empty store, and cleans up after it. */
export function storeContract(name: string, open: Open): void {
  for (const [part, claims] of Object.entries(CONTRACT))
    describe(`${name}: ${part}`, () => {
      for (const [claim, prove] of Object.entries(claims)) it(claim, async () => prove(await open(), open));
    });
}
