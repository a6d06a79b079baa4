// `segno explain`: the meaning of an error code and its remedy, without network access.

import { EXIT_CODES, exitCodeOfError, type ExitCode } from "../errors/exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";

interface ExplainOptions {
  readonly json?: boolean;
}

/** The number of suggestions if no code is similar. */
const SUGGESTIONS_MAX = 5;

export function addExplain(registry: CommandRegistry): void {
  registry
    .add("explain", ["segno explain DEPENDENCY_CYCLE", "segno explain execution_timeout --json"])
    .description("explain an error code and its remedy")
    .argument("<code>", "a code from an error message")
    .addOption(jsonOption("the explanation"))
    .action(registry.handler(explain));
}

async function explain(word: string, { json }: ExplainOptions, terminal: Terminal): Promise<ExitCode> {
  const { CATALOGUE, isErrorCode } = await import("../errors/catalogue.ts");
  const code = word.toUpperCase().replaceAll("-", "_");
  if (!isErrorCode(code)) return reportUnknown(word, code, terminal);
  const { meaning, remedy } = CATALOGUE[code];
  if (json === true) {
    const exitCode = exitCodeOfError(code);
    terminal.print(`${safeJson({ schemaVersion: 1, code, meaning, remedy, exitCode })}\n`);
    return EXIT_CODES.ok;
  }
  const { wrapText } = await import("../terminal/text-layout.ts");
  const { palette, columns } = terminal;
  const lines = [palette.title(code), ...wrapText(meaning, columns), ...wrapText(`What to do: ${remedy}`, columns)];
  terminal.print(`${lines.join("\n")}\n`);
  return EXIT_CODES.ok;
}

async function reportUnknown(word: string, code: string, { report }: Terminal): Promise<ExitCode> {
  const { closest } = await import("@segno/kernel");
  const { CATALOGUE } = await import("../errors/catalogue.ts");
  const codes = Object.keys(CATALOGUE);
  const near = closest(code, codes);
  const similar = near === undefined ? codes.filter((each) => each.includes(code)).slice(0, SUGGESTIONS_MAX) : [near];
  const hint =
    similar.length === 0 ? "docs/reference/errors.md lists all codes" : `did you mean ${similar.join(", ")}?`;
  report(`segno: there is no code ${safeText(word)}; ${hint}\n`);
  return EXIT_CODES.notFound;
}
