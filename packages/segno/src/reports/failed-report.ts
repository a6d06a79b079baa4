// The report of `segno show <id> --failed`: the steps that failed, each in detail.

import { groupedDigits } from "@segno/contract";

import { commandName, journalWords } from "../journal/journal-options.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import type { FailedSteps } from "../progress/step-inspection.ts";
import { commandLine } from "../progress/summary.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { stepDocument } from "./step-document.ts";
import { stepReport, type StepReportOptions } from "./step-report.ts";

export function failedReport(
  { inspections, total }: FailedSteps,
  execution: FollowedExecution,
  terminal: Terminal,
  options: StepReportOptions,
): string {
  if (total === 0) return "no step failed\n";
  const { palette } = terminal;
  const here = { command: commandName(), place: journalWords(options) };
  const more = total - inspections.length;
  const all = commandLine(execution, here, "show");
  return [
    ...inspections.map((inspection) => stepReport(inspection, execution, terminal, options)),
    ...(more === 0 ? [] : [palette.quiet(`and ${groupedDigits(more)} more that failed; to list them: ${all}\n`)]),
  ].join("\n");
}

/** `failed` is the number of all steps that failed; the document has the first ones in detail. */
export function failedDocument(
  { inspections, total }: FailedSteps,
  execution: FollowedExecution,
  orphaned: boolean,
): object {
  const { id, workflow, status } = execution;
  const steps = inspections.map((inspection) => stepDocument(inspection, execution, orphaned));
  return { schemaVersion: 1, id, workflow, status, ...(orphaned ? { orphaned } : {}), failed: total, steps };
}
