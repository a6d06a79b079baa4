// The report at the end of `run`, `retry` and `watch`: the table of steps, the summary, the next commands, and the result.

import { groupedDigits } from "@segno/contract";
import type { ExecutionHandle } from "@segno/engine";
import { SegnoError, type Json } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";

import { executionJson } from "../progress/execution-json.ts";
import { commandName, isRemote, journalWords } from "../journal/journal-options.ts";
import { workWords, type OnFault, type WorkOptions } from "../journal/work-options.ts";
import type { ForegroundResult } from "../live/run-foreground.ts";
import { jsonLine } from "../live/jsonl-view.ts";
import type { View } from "../live/view.ts";
import { stepTable } from "../progress/step-table.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { addressLines, failureLines, nextCommands, notUndoneLines, summaryLine } from "../progress/summary.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface EndOptions extends WorkOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

export interface EndReport {
  readonly handle: ExecutionHandle;
  readonly execution: FollowedExecution;
  readonly result: ForegroundResult;
  readonly terminal: Terminal;
  readonly options: EndOptions;
  /** Another process runs the execution. */
  readonly isElsewhere?: boolean;
}

export async function reportEnd(ended: EndReport): Promise<void> {
  const { handle, execution, terminal, options } = ended;
  const output = execution.status === "completed" ? await handle.result() : undefined;
  if (options.jsonl === true) {
    terminal.print(jsonLine({ kind: "result", ...executionJson(execution, output) }));
    return;
  }
  terminal.report(endText(ended));
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ...executionJson(execution, output) })}\n`);
  else if (isWorthPrinting(output)) terminal.print(`${safeJson(output)}\n`);
}

function isWorthPrinting(output: Json | undefined): boolean {
  return output !== undefined && output !== null;
}

function endText({ execution, result, terminal, options, isElsewhere = false }: EndReport): string {
  const { reportPalette: palette, window } = terminal;
  const columns = window?.columns ?? terminal.columns;
  const here = {
    command: commandName(),
    place: journalWords(options),
    work: workWords(options),
    isOwned: isElsewhere,
    isRemote: isRemote(options),
  };
  const next = nextCommands(execution, here);
  const lines = [
    "",
    ...stepTable(execution, { palette, columns, now: Date.now() }),
    ...addressLines(execution, palette, here),
    "",
    ...failureLines(execution, palette),
    ...notUndoneLines(execution, palette, here),
    summaryLine(execution, palette),
    ...(result.isDetached ? [palette.caution("the command detached before the execution ended")] : []),
    ...next.map((command, place) => `${place === 0 ? "next:" : "     "} ${palette.accent(command)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** Prints transient faults as lines of the view. */
export function printFault(view: View): OnFault {
  return (error, id, suppressed) => {
    const message = thrownMessage(error);
    const more = suppressed === 0 ? "" : ` (${groupedDigits(suppressed)} more times)`;
    view.printNote(`! ${id === undefined ? "" : `${safeText(id)} `}${safeText(message)}${faultHint(error, id)}${more}`);
  };
}

/** The engine's message names no command. */
function faultHint(error: unknown, id: string | undefined): string {
  if (id === undefined || !(error instanceof SegnoError) || error.code !== "STORE_CORRUPT") return "";
  return `; \`${commandName()} db recover ${shellWord(safeText(id))}\` checks it and ends its quarantine`;
}
