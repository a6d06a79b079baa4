// `segno code plan`: shows the steps of a template. It creates and runs nothing.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { safeJson } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { jsonOption, type CommandRegistry } from "./command-registry.ts";
import { withTemplateOptions, type TemplateOptions } from "./template-options.ts";

interface CodePlanOptions extends TemplateOptions {
  readonly json?: boolean;
}

export function addCodePlan(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("plan", ["segno code plan feature.yaml --param name=login"], code)
    .description("check a template, its parameters and the repository, and show the steps in waves");
  withTemplateOptions(command).addOption(jsonOption("the plan")).action(registry.handler(plan));
}

async function plan(file: string, options: CodePlanOptions, terminal: Terminal): Promise<ExitCode> {
  const { readTemplateStart } = await import("../code/template-request.ts");
  const start = await readTemplateStart(file, options, terminal, { createsSample: false });
  if (typeof start === "number") return start;
  const { definitionHash, programFor } = await import("@segno/contract");
  const { toPlan } = await import("../plan/to-plan.ts");
  const { planText } = await import("../plan/plan-text.ts");
  const { definition, input } = start;
  const result = toPlan(programFor(definition), { hash: definitionHash(definition), input });
  terminal.print(options.json === true ? `${safeJson({ schemaVersion: 1, ...result })}\n` : planText(result, terminal));
  return EXIT_CODES.ok;
}
