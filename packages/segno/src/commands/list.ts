// `segno list`: executions, newest first.

import { wholeNumber } from "../document/option-value.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import type { FilterOptions } from "../lookup/execution-filter.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";
import { withFilterOptions } from "./filter-options.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100_000;

interface ListOptions extends JournalOptions, FilterOptions {
  readonly limit: number;
  readonly json?: boolean;
}

const EXAMPLES = [
  "segno list --status running,failed",
  "segno list --workflow release --limit 5 --json",
  "segno list --since 24h --label team=payments --text timeout",
];

export function addList(registry: CommandRegistry): void {
  const command = registry.add("list", EXAMPLES).description("list executions, newest first");
  withFilterOptions(command)
    .option("--limit <number>", "list at most this many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .addOption(jsonOption("the list"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(list));
}

async function list(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { toFilter } = await import("../lookup/execution-filter.ts");
  const { newestExecutions } = await import("../lookup/listed-executions.ts");
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { distinctLength } = await import("../lookup/short-id.ts");
  const { listText } = await import("../reports/execution-list.ts");
  await using engine = await openToInspect(options);
  const filter = toFilter(options);
  const { executions, total, ids } = await newestExecutions(engine, filter, options.limit);
  const isOrphan = orphanTest(options);
  const rows = executions.map((each) => ({ ...each, ...(isOrphan(each.status) ? { orphaned: true } : {}) }));
  if (options.json === true) {
    terminal.print(`${safeJson({ schemaVersion: 1, total, executions: rows })}\n`);
    return EXIT_CODES.ok;
  }
  // An id is shown with enough characters to differ from all ids in the journal, not only from those that are listed.
  const others = Object.keys(filter).length === 0 || executions.length === 0 ? ids : await allIds(engine);
  const idLength = distinctLength(
    executions.map(({ id }) => id),
    others,
  );
  terminal.print(listText(rows, total, idLength, terminal));
  return EXIT_CODES.ok;
}

async function allIds(engine: InspectedEngine): Promise<readonly string[]> {
  const { listedExecutions } = await import("../lookup/listed-executions.ts");
  const ids: string[] = [];
  for await (const { id } of listedExecutions(engine)) ids.push(id);
  return ids;
}
