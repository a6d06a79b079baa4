// `segno approve`: votes for an approval (BEYOND-2).

import type { ExitCode } from "../errors/exit-code.ts";
import type { VoteCommandOptions } from "../sessions/vote-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { withVoteOptions } from "./vote-options.ts";

export function addApprove(registry: CommandRegistry): void {
  const command = registry
    .add("approve", [
      "segno approve @last ship",
      "segno approve 01a1e272 deploy/3/ask --by ann --comment 'looks good'",
      `segno approve @last ask --answer '{"count":3}'`,
    ])
    .description("approve a step that waits for approval; segno why shows the question");
  withVoteOptions(command, "a comment, recorded with the vote")
    .option("--answer <json>", "the answer that the approval asks for as JSON, or @file")
    .action(registry.handler(approve));
}

async function approve(id: string, step: string, options: VoteCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { sendVote } = await import("../sessions/vote-session.ts");
  return sendVote({ verb: "approve", verdict: "approve", id, step, options }, terminal);
}
