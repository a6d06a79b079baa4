// `segno explain`: what a code means and what to do about it, without a network.

import { closest } from "@segno/kernel";

import { CATALOGUE, isErrorCode } from "../errors/catalogue.ts";
import { EXIT_CODES, exitCodeOfError, type ExitCode } from "../exit-code.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/text-layout.ts";

export interface ExplainOptions {
  readonly json?: boolean;
}

/** So many codes are named where none was near. */
const SUGGESTED_MAX = 5;

export async function explain(word: string, { json }: ExplainOptions, terminal: Terminal): Promise<ExitCode> {
  const code = word.toUpperCase().replaceAll("-", "_");
  if (!isErrorCode(code)) return unknown(word, code, terminal);
  const { meaning, remedy } = CATALOGUE[code];
  if (json === true) {
    terminal.print(`${safeJson({ schemaVersion: 1, code, meaning, remedy, exitCode: exitCodeOfError(code) })}\n`);
    return EXIT_CODES.ok;
  }
  const { palette, columns } = terminal;
  const lines = [palette.title(code), ...wrapText(meaning, columns), ...wrapText(`What to do: ${remedy}`, columns)];
  terminal.print(`${lines.join("\n")}\n`);
  return EXIT_CODES.ok;
}

function unknown(word: string, code: string, { report }: Terminal): ExitCode {
  const codes = Object.keys(CATALOGUE);
  const near = closest(code, codes);
  const alike = near === undefined ? codes.filter((each) => each.includes(code)).slice(0, SUGGESTED_MAX) : [near];
  const hint = alike.length === 0 ? "docs/reference/errors.md has all of them" : `did you mean ${alike.join(", ")}?`;
  report(`segno: there is no code ${safeText(word)}; ${hint}\n`);
  return EXIT_CODES.notFound;
}
