// The result of `segno validate` for one contract.

import { definitionHash } from "@segno/contract";
import { writtenStepCount, type Failure } from "@segno/kernel";

import type { LoadedContract } from "../document/contract-document.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { shortHash } from "../plan/short-hash.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportProblems } from "./problem-report.ts";
import { secretWarning } from "./secret-warning.ts";

export function printContract(loaded: LoadedContract, terminal: Terminal, warning?: Failure): void {
  if (loaded.kind === "problems") {
    reportProblems(loaded, terminal);
    return;
  }
  const { file, definition } = loaded;
  const { palette } = terminal;
  const count = writtenStepCount(definition);
  const steps = `${count} ${count === 1 ? "step" : "steps"}`;
  const about = `${safeText(definition.name)}, ${steps}, ${shortHash(definitionHash(definition))}`;
  terminal.print(`${palette.good("ok")} ${palette.title(safeText(file))} ${palette.quiet(about)}\n`);
  if (warning !== undefined) terminal.report(secretWarning(warning, terminal.reportPalette));
}

/** The same as JSON. */
export function contractFinding(loaded: LoadedContract, warning?: Failure): object {
  const { file } = loaded;
  if (loaded.kind === "definition") {
    const { definition } = loaded;
    const { name, version } = definition;
    const hash = definitionHash(definition);
    const warnings = warning === undefined ? undefined : [{ code: warning.code, message: warning.message }];
    return {
      file,
      ok: true,
      workflow: name,
      ...omitUndefined({ version, warnings }),
      steps: writtenStepCount(definition),
      hash,
    };
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
