// The table of `segno list`.

import { groupedDigits } from "@segno/contract";
import type { ListedExecution } from "@segno/engine";

import { ORPHANED } from "../lookup/orphan.ts";
import { tickingText } from "../progress/elapsed-text.ts";
import { paintedLine } from "../terminal/painted-line.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad, shorten } from "../terminal/text-layout.ts";
import { statusTone } from "./status-tone.ts";

/** `orphaned`: the execution is active, but no process runs it. */
export type ListedRow = ListedExecution & { readonly orphaned?: boolean };

export function listText(
  executions: readonly ListedRow[],
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
  { id, workflow, status, createdAt, steps, toleratedFailures, quarantined, orphaned }: ListedRow,
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
    ...(toleratedFailures === 0
      ? []
      : [{ text: `  ${groupedDigits(toleratedFailures)} tolerated`, paint: palette.caution }]),
    ...(quarantined === undefined ? [] : [{ text: `  quarantined: ${safeText(quarantined)}`, paint: palette.bad }]),
  ];
  return paintedLine(segments, columns);
}
