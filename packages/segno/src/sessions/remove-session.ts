// Removes ended executions: finds them, asks the person, and removes them one after the other.
//   RS1. Nothing is removed if one of them has not ended, or if nobody agrees.

import type { Engine } from "@segno/engine";
import { isTerminalStatus, SegnoError, type ExecutionStatus } from "@segno/kernel";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { UsageError } from "../errors/usage-error.ts";
import { openToAsk } from "../journal/open-engine.ts";
import { requireOwner } from "../journal/require-owner.ts";
import { toFilter, type FilterOptions } from "../lookup/execution-filter.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { listedExecutions } from "../lookup/listed-executions.ts";
import { countText, printDone, type MaintenanceOptions } from "../reports/maintenance-report.ts";
import { safeText } from "../terminal/safe-text.ts";
import { askYes, canAsk } from "../terminal/prompt.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface RemoveOptions extends MaintenanceOptions, FilterOptions {
  readonly yes?: boolean;
}

interface Removable {
  readonly id: string;
  readonly workflow: string;
  readonly status: ExecutionStatus;
}

const NAMED_MAX = 5;

export async function removeExecutions(
  ids: readonly string[],
  options: RemoveOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  requireOwner(engine, options, "remove executions");
  const found = ids.length > 0 ? await findAll(engine, ids) : await findFiltered(engine, options);
  requireEnded(found);
  if (found.length > 0 && !(await isAgreed(found, options, terminal))) {
    terminal.report("nothing was removed\n");
    return EXIT_CODES.interrupted;
  }
  for (const { id } of found) await engine.remove(id);
  const removed = found.map(({ id }) => id);
  return printDone(options, terminal, { removed }, `${countText(removed.length, "execution")} removed`);
}

async function findAll(engine: Engine, ids: readonly string[]): Promise<readonly Removable[]> {
  const found = new Map<string, Removable>();
  for (const wanted of ids) {
    const { id } = await findExecution(engine, wanted);
    // A list, because a quarantined execution has no other report.
    for await (const listed of listedExecutions(engine, { text: id })) if (listed.id === id) found.set(id, listed);
  }
  return [...found.values()];
}

async function findFiltered(engine: Engine, options: RemoveOptions): Promise<readonly Removable[]> {
  const found: Removable[] = [];
  for await (const execution of listedExecutions(engine, toFilter(options))) found.push(execution);
  return found;
}

/** RS1. A quarantined execution does not run, whatever its status. */
function requireEnded(found: readonly (Removable & { readonly quarantined?: string })[]): void {
  const active = found.filter(({ status, quarantined }) => quarantined === undefined && !isTerminalStatus(status));
  const [first] = active;
  if (first === undefined) return;
  const more = active.length === 1 ? "" : ` and ${countText(active.length - 1, "other execution")}`;
  throw new SegnoError(
    "EXECUTION_UNFINISHED",
    `${first.id}${more} ${active.length === 1 ? "has" : "have"} not ended, so nothing was removed; ` +
      "`segno cancel` ends an execution, and `--status completed,failed,cancelled` leaves out the others",
  );
}

async function isAgreed(
  found: readonly Removable[],
  { yes = false }: RemoveOptions,
  terminal: Terminal,
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk())
    throw new UsageError("standard input is not a terminal, so nobody can be asked; --yes removes at once");
  terminal.report(`${found.slice(0, NAMED_MAX).map(line).join("")}${rest(found.length - NAMED_MAX)}`);
  return askYes(`remove ${countText(found.length, "execution")} for good?`, terminal.reportPalette);
}

function line({ id, workflow, status }: Removable): string {
  return `${safeText(id)}  ${safeText(workflow)}  ${status}\n`;
}

function rest(count: number): string {
  return count <= 0 ? "" : `and ${count} more\n`;
}
