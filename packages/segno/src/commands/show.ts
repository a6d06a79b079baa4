// `segno show`: one execution with all its steps, one step in detail, the steps that failed, or the output of one step.

import type { ExecutionHandle } from "@segno/engine";
import type { Json } from "@segno/kernel";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { databaseOption, ID_HELP, jsonOption, serverOption, type CommandRegistry } from "./command-registry.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

interface ShowOptions extends JournalOptions {
  readonly json?: boolean;
  readonly output?: string;
  readonly failed?: boolean;
}

const EXAMPLES = [
  "segno show @last",
  "segno show 01a1e272 --json",
  "segno show @last build",
  "segno show @last --failed",
  "segno show @last --output build",
];

export function addShow(registry: CommandRegistry): void {
  registry
    .add("show", EXAMPLES)
    .description("show an execution and its steps, or one step in detail")
    .argument("<id>", ID_HELP)
    .argument("[step]", "only this step: its values, attempts, recorded calls and log")
    .option("--failed", "show only the steps that failed, each in detail")
    .option("--output <step>", "print only the complete output of this step")
    .addOption(jsonOption("the report"))
    .addOption(databaseOption())
    .addOption(serverOption())
    .action(registry.handler(show));
}

async function show(id: string, step: string | undefined, options: ShowOptions, terminal: Terminal): Promise<ExitCode> {
  checkSubject(step, options);
  const { openToInspect } = await import("../remote/open-inspected.ts");
  const { findExecution } = await import("../lookup/find-execution.ts");
  await using engine = await openToInspect(options);
  const handle = await findExecution(engine, id);
  if (options.output !== undefined) return await showOutput(handle, options.output, options, terminal);
  if (step !== undefined) await showStep(engine, handle, step, options, terminal);
  else if (options.failed === true) await showFailed(engine, handle, options, terminal);
  else await showExecution(engine, handle, options, terminal);
  return EXIT_CODES.ok;
}

function checkSubject(step: string | undefined, { output, failed = false }: ShowOptions): void {
  const given = [
    ...(step === undefined ? [] : ["a step"]),
    ...(failed ? ["--failed"] : []),
    ...(output === undefined ? [] : ["--output"]),
  ];
  if (given.length > 1) throw new UsageError(`${given.join(" and ")} cannot be used together`);
}

async function showExecution(
  engine: InspectedEngine,
  handle: ExecutionHandle,
  options: ShowOptions,
  terminal: Terminal,
): Promise<void> {
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { executionJson } = await import("../progress/execution-json.ts");
  const { loadInputAndOutput, loadWithProgress } = await import("../progress/load-execution.ts");
  const { showText } = await import("../reports/show-report.ts");
  const { valueFields } = await import("../reports/step-document.ts");
  const execution = await loadWithProgress(engine, handle.id);
  const values = await loadInputAndOutput(engine, handle, execution);
  const orphaned = orphanTest(options)(execution.status);
  const artifacts = await handle.artifacts();
  const parts = { ...values, artifacts };
  if (options.json !== true) return terminal.print(showText(execution, parts, terminal, { ...options, orphaned }));
  const fields = {
    ...valueFields("input", values.input),
    ...valueFields("output", values.output),
    ...(artifacts.length === 0 ? {} : { artifacts }),
  };
  const facts = { ...executionJson(execution, undefined), ...fields, ...(orphaned ? { orphaned } : {}) };
  terminal.print(`${safeJson({ schemaVersion: 1, ...facts })}\n`);
}

async function showStep(
  engine: InspectedEngine,
  handle: ExecutionHandle,
  wanted: string,
  options: ShowOptions,
  terminal: Terminal,
): Promise<void> {
  const { findStep } = await import("../lookup/find-step.ts");
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { StepInspector } = await import("../progress/step-inspection.ts");
  const { stepDocument } = await import("../reports/step-document.ts");
  const { stepReport } = await import("../reports/step-report.ts");
  const inspector = await StepInspector.open(engine, handle);
  const { execution } = inspector;
  const { name } = findStep(handle.id, execution, wanted);
  const inspection = await inspector.inspect(execution.steps.find((each) => each.name === name)!);
  const orphaned = orphanTest(options)(execution.status);
  if (options.json !== true)
    return terminal.print(stepReport(inspection, execution, terminal, { ...options, orphaned, now: Date.now() }));
  const { id, workflow, status } = execution;
  const step = stepDocument(inspection, execution, orphaned);
  terminal.print(`${safeJson({ schemaVersion: 1, id, workflow, status, ...(orphaned ? { orphaned } : {}), step })}\n`);
}

async function showFailed(
  engine: InspectedEngine,
  handle: ExecutionHandle,
  options: ShowOptions,
  terminal: Terminal,
): Promise<void> {
  const { orphanTest } = await import("../lookup/orphan.ts");
  const { StepInspector } = await import("../progress/step-inspection.ts");
  const { failedDocument, failedReport } = await import("../reports/failed-report.ts");
  const inspector = await StepInspector.open(engine, handle);
  const { execution } = inspector;
  const failed = await inspector.inspectFailed();
  const orphaned = orphanTest(options)(execution.status);
  terminal.print(
    options.json === true
      ? `${safeJson(failedDocument(failed, execution, orphaned))}\n`
      : failedReport(failed, execution, terminal, { ...options, orphaned, now: Date.now() }),
  );
}

async function showOutput(
  handle: ExecutionHandle,
  step: string,
  { json = false }: ShowOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const output = await readOutput(handle, step);
  if (output === undefined) {
    const { steps } = await handle.status();
    const status = steps.find(({ name }) => name === step)?.status;
    const why = status === undefined ? "" : `: it is ${status}`;
    terminal.report(`segno: \`${safeText(step)}\` has no output${why}\n`);
    return EXIT_CODES.conflict;
  }
  terminal.print(`${safeJson(json ? { schemaVersion: 1, id: handle.id, step, output } : output)}\n`);
  return EXIT_CODES.ok;
}

async function readOutput(handle: ExecutionHandle, step: string): Promise<Json | undefined> {
  const { SegnoError } = await import("@segno/kernel");
  const { findStep } = await import("../lookup/find-step.ts");
  try {
    return await handle.output(step);
  } catch (error) {
    // `findStep` throws an error that suggests the nearest name.
    if (error instanceof SegnoError && error.code === "STEP_UNKNOWN") findStep(handle.id, await handle.status(), step);
    throw error;
  }
}
