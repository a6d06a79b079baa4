import { formatProblems } from "@segno/contract";

import type { LoadedContract } from "../document/contract-document.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Prints the problems of a contract. `formatProblems` has escaped the text of the document. */
export function reportProblems(
  { file, problems, text }: LoadedContract & { kind: "problems" },
  terminal: Terminal,
): ExitCode {
  terminal.report(`${formatProblems(problems, text, { color: terminal.reportsInColor })}\n`);
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  terminal.report(`${safeText(file)} is ${terminal.reportPalette.bad("invalid")}: ${count}\n`);
  return EXIT_CODES.invalid;
}
