// Checks a store: every execution, rows that belong to no execution, and documents (JOURNAL-4).
//
//   C5. If the store supports snapshots, the check reads everything from one committed state. A concurrent writer then
//       cannot cause false findings.
//   C6. The check reads every row a fixed number of times, and yields findings as it goes.

import type { ExecutionId } from "@segno/kernel";
import type { Backup, FrozenStore, OrphanedRows } from "../../store/backup.ts";
import { documentName, type StoredDocument } from "../../store/document-store.ts";
import type { StoreAdmin } from "../../store/store-admin.ts";
import type { Store } from "../../store/store.ts";
import { StoreFault } from "../../store/store-fault.ts";
import { parseCommand } from "../../inbox/command.ts";
import { DefinitionCheck } from "./definition-check.ts";
import type { CheckableArtifacts } from "./artifact-check.ts";
import { ExecutionCheck, type CheckedExecution } from "./execution-check.ts";
import { finding, type Finding } from "./finding.ts";

/** Findings about the store, or about a part of it that is not an execution. */
export interface CheckedStore {
  readonly kind: "store";
  readonly findings: readonly Finding[];
}

/** A part of a store that was checked: an execution, or the store itself. */
export type CheckedPart = CheckedExecution | CheckedStore;

export type CheckableStore = Store & Partial<StoreAdmin & Backup>;

const PAGE = 100;

/** Without artifacts, the files are not checked. */
export async function* checkStore(store: CheckableStore, artifacts?: CheckableArtifacts): AsyncGenerator<CheckedPart> {
  const frozen = await store.freeze?.();
  try {
    yield { kind: "store", findings: await fileFindings(frozen) };
    let rows = 0;
    for await (const checked of checkExecutions(frozen ?? store, artifacts)) {
      rows += checked.rows;
      yield checked;
    }
    yield { kind: "store", findings: await restFindings(frozen ?? store, frozen, rows) };
  } finally {
    await frozen?.close();
  }
}

/** Checks everything that the store holds for one execution; undefined if the execution does not exist. */
export async function checkExecution(
  store: CheckableStore,
  id: ExecutionId,
  artifacts?: CheckableArtifacts,
): Promise<CheckedExecution | undefined> {
  const examined = await examineWith(store)(id);
  return examined === undefined ? undefined : new ExecutionCheck(store, artifacts).check(examined);
}

async function* checkExecutions(
  store: CheckableStore,
  artifacts: CheckableArtifacts | undefined,
): AsyncGenerator<CheckedExecution> {
  const examine = examineWith(store);
  const check = new ExecutionCheck(store, artifacts);
  let cursor: string | undefined;
  do {
    const page = await store.find({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id } of page.executions) {
      const examined = await examine(id);
      if (examined !== undefined) yield await check.check(examined);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

function examineWith(store: CheckableStore): StoreAdmin["examine"] {
  if (store.examine === undefined) throw new StoreFault("STORE_UNSUPPORTED", "this store cannot be checked");
  return (id) => store.examine!(id);
}

async function fileFindings(frozen: FrozenStore | undefined): Promise<readonly Finding[]> {
  const damage = (await frozen?.integrity()) ?? [];
  const mark = await frozen?.markProblem();
  return [
    ...damage.map((what) => finding("STORE_CORRUPT", `the file itself: ${what}`)),
    ...(mark === undefined ? [] : [finding("PROJECTION_WRONG", mark)]),
  ];
}

async function restFindings(
  store: CheckableStore,
  frozen: FrozenStore | undefined,
  rows: number,
): Promise<readonly Finding[]> {
  const orphans = frozen === undefined ? [] : await frozen.orphans(rows);
  const documents = (await frozen?.damagedDocuments()) ?? [];
  return [...orphans.map(orphanFinding), ...(await messageFindings(store)), ...documents.map(documentFinding)];
}

function orphanFinding({ table, count, problem }: OrphanedRows): Finding {
  return finding("ROWS_ORPHANED", `${count} rows of \`${table}\` ${problem}`);
}

function documentFinding(document: Pick<StoredDocument, "kind" | "key">): Finding {
  return finding("DOCUMENT_DAMAGED", `${documentName(document)} is not JSON text`);
}

/** A start message in the inbox names definitions, too. */
async function messageFindings(store: CheckableStore): Promise<readonly Finding[]> {
  const definitions = new DefinitionCheck(store);
  const findings: Finding[] = [];
  for (const { id, execution, body } of (await store.poll()).messages) {
    const command = parseCommand(body);
    if (command?.kind !== "start") continue;
    const hashes = [command.definition, ...(command.workflows ?? []).map(({ definition }) => definition)];
    for (const { code, message } of await definitions.check(hashes))
      findings.push(finding(code, `the start ${id} of the execution ${execution} in the inbox: ${message}`));
  }
  return findings;
}
