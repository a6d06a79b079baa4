// `segno list`: executions, newest first.

import { InvalidArgumentError } from "commander";
import type { ExecutionStatus } from "@segno/kernel";

import { wholeNumber } from "../document/option-value.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, type CommandRegistry } from "./command-registry.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100_000;

interface ListOptions extends JournalOptions {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addList(registry: CommandRegistry): void {
  registry
    .add("list", ["segno list --status running,failed", "segno list --workflow release --limit 5 --json"])
    .description("list executions, newest first")
    .option("--status <status>", "only executions with these statuses, separated by commas", parseStatuses)
    .option("--workflow <name>", "only executions of this workflow")
    .option("--limit <number>", "list at most this many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .addOption(jsonOption("the list"))
    .addOption(databaseOption())
    .action(registry.handler(list));
}

async function list(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToRead } = await import("../journal/open-engine.ts");
  const { listedExecutions, newestExecutions } = await import("../lookup/listed-executions.ts");
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { distinctLength } = await import("../lookup/short-id.ts");
  const { omitUndefined } = await import("../plan/omit-undefined.ts");
  const { listText } = await import("../reports/execution-list.ts");
  await using engine = await openToRead(options);
  const { status, workflow, limit } = options;
  const { executions, total } = await newestExecutions(engine, omitUndefined({ status, workflow }), limit);
  const isOrphan = orphanTest(options);
  const rows = executions.map((each) => ({ ...each, ...(isOrphan(each.status) ? { orphaned: true } : {}) }));
  if (options.json === true) {
    terminal.print(`${safeJson({ schemaVersion: 1, total, executions: rows })}\n`);
    return EXIT_CODES.ok;
  }
  // An id is shown with enough characters to differ from all ids in the journal, not only from those that are listed.
  const ids: string[] = [];
  for await (const { id } of listedExecutions(engine)) ids.push(id);
  const idLength = distinctLength(
    executions.map(({ id }) => id),
    ids,
  );
  terminal.print(listText(rows, total, idLength, terminal));
  return EXIT_CODES.ok;
}

/** A record typed by the union, so that the compiler reports a missing status. */
const STATUSES: Readonly<Record<ExecutionStatus, true>> = {
  pending: true,
  validating: true,
  running: true,
  paused: true,
  parked: true,
  failing: true,
  cancelling: true,
  completed: true,
  failed: true,
  cancelled: true,
};

function parseStatuses(text: string): readonly ExecutionStatus[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.every((word): word is ExecutionStatus => Object.hasOwn(STATUSES, word))) return words;
  throw new InvalidArgumentError(`expected one or more of ${Object.keys(STATUSES).join(", ")}.`);
}
