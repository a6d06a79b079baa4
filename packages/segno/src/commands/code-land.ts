// `segno code land`: approves the merges of a code workflow that wait for a person.

import type { Command } from "commander";

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withExecutionOption, type CodeCommandOptions } from "./code-options.ts";
import type { CommandRegistry } from "./command-registry.ts";

interface CodeLandOptions extends CodeCommandOptions {
  readonly by?: string;
  readonly comment?: string;
}

export function addCodeLand(registry: CommandRegistry, code: Command): void {
  const command = registry
    .add("land", ["segno code land", "segno code land api --comment 'looks good'"], code)
    .description("approve the merges that wait for a person: of one task, or of the whole workflow")
    .argument("[task]", "the id of a task (default: every merge that waits)")
    .option("--by <name>", "the voter (default: the current user)")
    .option("--comment <text>", "a comment, recorded with the vote");
  withExecutionOption(command).action(registry.handler(land));
}

async function land(task: string | undefined, options: CodeLandOptions, terminal: Terminal): Promise<ExitCode> {
  const { waitingMerges } = await import("../code/waiting-merges.ts");
  const { id, steps } = await waitingMerges(task, options);
  if (steps.length === 0) {
    terminal.report("segno: no merge waits for an approval; segno code status shows the tasks\n");
    return EXIT_CODES.conflict;
  }
  const { sendVote } = await import("../sessions/vote-session.ts");
  for (const step of steps) {
    const { id: _, ...vote } = options;
    const exitCode = await sendVote({ verb: "approve", verdict: "approve", id, step, options: vote }, terminal);
    if (exitCode !== EXIT_CODES.ok) return exitCode;
  }
  return EXIT_CODES.ok;
}
