// `segno list`: executions, the newest first.

import { groupedDigits } from "@segno/contract";
import type { ListedExecution, ListFilter } from "@segno/engine";
import type { ExecutionStatus } from "@segno/kernel";

import type { JournalOptions } from "../journal/journal-options.ts";
import { listedExecutions, newestExecutions } from "../lookup/listed-executions.ts";
import { ORPHANED, orphanTest } from "../lookup/orphan.ts";
import { openToRead } from "../journal/open-engine.ts";
import { distinctLength } from "../lookup/short-id.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { tickingText } from "../progress/elapsed-text.ts";
import { paintedLine } from "../terminal/painted-line.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad, shorten } from "../terminal/text-layout.ts";
import { statusTone } from "../reports/status-tone.ts";

export interface ListOptions extends JournalOptions {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export async function list(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToRead(options);
  const { status, workflow, limit } = options;
  const filter: ListFilter = omitUndefined({ status, workflow });
  const { executions, total } = await newestExecutions(engine, filter, limit);
  const isOrphan = orphanTest(options);
  const listed = executions.map((execution) => ({
    ...execution,
    ...(isOrphan(execution.status) ? { orphaned: true } : {}),
  }));
  if (options.json === true) {
    terminal.print(`${safeJson({ schemaVersion: 1, total, executions: listed })}\n`);
    return EXIT_CODES.ok;
  }
  // Ids are short enough to tell from all others, not only from those that are shown.
  const all: string[] = [];
  for await (const { id } of listedExecutions(engine)) all.push(id);
  const shown = distinctLength(
    executions.map(({ id }) => id),
    all,
  );
  terminal.print(listText(listed, total, shown, terminal));
  return EXIT_CODES.ok;
}

/** With whether no process works on it. */
type Listed = ListedExecution & { readonly orphaned?: boolean };

function listText(
  executions: readonly Listed[],
  total: number,
  idLength: number,
  { palette, columns }: Terminal,
): string {
  if (executions.length === 0) return "no executions\n";
  const widths = {
    id: Math.min(idLength, Math.max(...executions.map(({ id }) => id.length))),
    workflow: Math.min(40, Math.max(8, ...executions.map(({ workflow }) => displayWidth(safeText(workflow))))),
  };
  const head = `${pad("id", widths.id)}  ${pad("workflow", widths.workflow)}  ${pad("status", 10)}  ${"done".padStart(9)}  ${"age".padStart(6)}`;
  const left = total - executions.length;
  const lines = [
    palette.quiet(head),
    ...executions.map((execution) => renderRow(execution, widths, palette, columns)),
    ...(left > 0 ? [palette.quiet(`and ${groupedDigits(left)} older; --limit shows more`)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function renderRow(
  { id, workflow, status, createdAt, steps, quarantined, orphaned }: Listed,
  widths: { readonly id: number; readonly workflow: number },
  palette: Palette,
  columns: number,
): string {
  const age = tickingText(Date.now() - createdAt);
  const name = pad(shorten(safeText(workflow), widths.workflow), widths.workflow);
  const segments = [
    { text: pad(safeText(id.slice(0, widths.id)), widths.id), paint: palette.accent },
    { text: `  ${name}`, paint: palette.title },
    {
      text: `  ${pad(orphaned === true ? ORPHANED : status, 10)}`,
      paint: palette[orphaned === true ? "caution" : statusTone(status)],
    },
    { text: `  ${`${steps.ended}/${steps.total}`.padStart(9)}  ${age.padStart(6)}` },
    ...(quarantined === undefined ? [] : [{ text: `  set aside: ${safeText(quarantined)}`, paint: palette.bad }]),
  ];
  return paintedLine(segments, columns);
}
