// `segno validate`: every file is looked at, whatever the others hold.

import { loadContractDocument, type LoadedContract } from "../document/contract-document.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { shortHash } from "../plan/short-hash.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportProblems } from "../reports/problem-report.ts";

export interface ValidateOptions {
  readonly json?: boolean;
}

export async function validate(
  files: readonly string[],
  { json }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const findings: object[] = [];
  let isValid = true;
  for (const file of files) {
    const loaded = await loadContractDocument(file);
    if (loaded.kind === "problems") isValid = false;
    if (json === true) findings.push(finding(loaded));
    else show(loaded, terminal);
  }
  if (json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok: isValid, files: findings })}\n`);
  return isValid ? EXIT_CODES.ok : EXIT_CODES.invalid;
}

function show(loaded: LoadedContract, terminal: Terminal): void {
  if (loaded.kind === "problems") {
    reportProblems(loaded, terminal);
    return;
  }
  const { file, definition, hash } = loaded;
  const { palette } = terminal;
  const steps = `${definition.steps.length} ${definition.steps.length === 1 ? "step" : "steps"}`;
  const about = `${safeText(definition.name)}, ${steps}, ${shortHash(hash)}`;
  terminal.print(`${palette.good("ok")} ${palette.title(safeText(file))} ${palette.quiet(about)}\n`);
}

function finding(loaded: LoadedContract): object {
  const { file } = loaded;
  if (loaded.kind === "definition") {
    const { name, version, steps } = loaded.definition;
    return { file, ok: true, workflow: name, ...omitUndefined({ version }), steps: steps.length, hash: loaded.hash };
  }
  const problems = loaded.problems.map(({ code, line, column, path, message, hint }) => ({
    code,
    line,
    column,
    path,
    message,
    ...omitUndefined({ hint }),
  }));
  return { file, ok: false, problems };
}
