// `segno plan`: what would happen, and nothing happens.

import { compileOrThrow } from "@segno/kernel";

import { loadContractDocument } from "../document/contract-document.ts";
import { readInputArgument } from "../document/input-argument.ts";
import { isFitting } from "../document/input-check.ts";
import { STANDARD_INPUT } from "../document/standard-input.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import { toPlan } from "../plan/to-plan.ts";
import { planText } from "../plan/plan-text.ts";
import { omitUndefined } from "../plan/omit-undefined.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { reportProblems } from "../reports/problem-report.ts";

export interface PlanCommandOptions {
  readonly input?: string;
  readonly json?: boolean;
}

export async function plan(file: string, options: PlanCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (file === STANDARD_INPUT && options.input === "@-") {
    throw new UsageError("standard input can be the contract or its input, not both");
  }
  const input = options.input === undefined ? undefined : await readInputArgument(options.input);
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") return reportProblems(loaded, terminal);
  if (input !== undefined && !isFitting(loaded.definition, input, terminal)) return EXIT_CODES.invalid;
  const made = toPlan(compileOrThrow(loaded.definition), { hash: loaded.hash, ...omitUndefined({ input }) });
  terminal.print(options.json === true ? `${safeJson({ schemaVersion: 1, ...made })}\n` : planText(made, terminal));
  return EXIT_CODES.ok;
}
