// Prints the log lines of an execution: as text, as one JSON document, or as lines of JSON.

import { jsonLine } from "../live/jsonl-view.ts";
import { logText, writerName, type LoggedLine } from "../live/log-text.ts";
import { safeJsonLine } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface LogFormat {
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

export interface LogPrinter {
  begin(): void;
  line(line: LoggedLine): void;
  end(): void;
}

/** A line of the step that was asked for has no prefix. */
export function createLogPrinter(
  id: string,
  step: string | undefined,
  options: LogFormat,
  terminal: Terminal,
): LogPrinter {
  if (options.jsonl === true)
    return { begin: nothing, line: (line) => terminal.print(jsonLine({ executionId: id, ...line })), end: nothing };
  if (options.json === true) return documentPrinter(id, terminal);
  const { palette, printsInColor: color } = terminal;
  return {
    begin: nothing,
    line: (line) => {
      const prefix = line.step === step ? {} : { prefix: writerName(line) };
      terminal.print(`${logText(line, { palette, color, ...prefix })}\n`);
    },
    end: nothing,
  };
}

function nothing(): void {}

/** Writes one document line by line, because the lines of a long execution may not fit into memory. */
function documentPrinter(id: string, { print }: Terminal): LogPrinter {
  let isFirst = true;
  return {
    begin: () => print(`{\n  "schemaVersion": 1,\n  "id": ${safeJsonLine(id)},\n  "lines": [`),
    line: (line) => {
      print(`${isFirst ? "" : ","}\n    ${safeJsonLine(line)}`);
      isFirst = false;
    },
    end: () => print(`${isFirst ? "" : "\n  "}]\n}\n`),
  };
}
