// `segno plan`: shows what an execution would do. It runs nothing.

import { STANDARD_INPUT } from "../document/standard-input.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import { FILE_HELP, jsonOption, type CommandRegistry } from "./command-registry.ts";

interface PlanCommandOptions {
  readonly input?: string;
  readonly json?: boolean;
}

export function addPlan(registry: CommandRegistry): void {
  registry
    .add("plan", [
      "segno plan release.yaml",
      `segno plan release.yaml --input '{"tag":"v1"}'`,
      "segno plan release.yaml --input @input.json --json",
    ])
    .description("show the steps in waves, with what each step needs and does and whether it would be skipped")
    .argument("<file>", FILE_HELP)
    .option("--input <json>", "the input as JSON, or @file; evaluates the conditions that depend on it")
    .addOption(jsonOption("the plan"))
    .action(registry.handler(plan));
}

async function plan(file: string, options: PlanCommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (file === STANDARD_INPUT && options.input === "@-")
    throw new UsageError("standard input can be the contract or its input, not both");
  const { readInputArgument } = await import("../document/input-argument.ts");
  const input = options.input === undefined ? undefined : await readInputArgument(options.input);
  const { loadContractDocument } = await import("../document/contract-document.ts");
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") {
    const { reportProblems } = await import("../reports/problem-report.ts");
    return reportProblems(loaded, terminal);
  }
  const { definition } = loaded;
  const { checkStartInput } = await import("../document/input-check.ts");
  if (input !== undefined && (await checkStartInput(loaded, input, terminal)) === undefined) return EXIT_CODES.invalid;
  const { definitionHash, programFor } = await import("@segno/contract");
  const { toPlan } = await import("../plan/to-plan.ts");
  const { planText } = await import("../plan/plan-text.ts");
  const hash = definitionHash(definition);
  // The conditions see the input as the schema of a built workflow converts it.
  const seen = input === undefined ? undefined : ((await loaded.workflow?.validate?.(input)) ?? input);
  const result = toPlan(programFor(definition), { hash, ...(seen === undefined ? {} : { input: seen }) });
  terminal.print(options.json === true ? `${safeJson({ schemaVersion: 1, ...result })}\n` : planText(result, terminal));
  return EXIT_CODES.ok;
}
