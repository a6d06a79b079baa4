// `segno reject`: votes against an approval, or requests changes (BEYOND-2).

import type { ExitCode } from "../errors/exit-code.ts";
import type { VoteCommandOptions } from "../sessions/vote-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { withVoteOptions } from "./vote-options.ts";

interface RejectOptions extends VoteCommandOptions {
  readonly changes?: boolean;
}

export function addReject(registry: CommandRegistry): void {
  const command = registry
    .add("reject", [
      "segno reject @last ship --comment 'not on a Friday'",
      "segno reject @last ship --changes --comment 'the notes are missing'",
    ])
    .description("reject a step that waits for approval, which fails it; or request changes")
    .option("--changes", "request changes instead: the step keeps waiting, and earlier votes no longer count");
  withVoteOptions(command, "the reason, or the changes to make").action(registry.handler(reject));
}

async function reject(id: string, step: string, options: RejectOptions, terminal: Terminal): Promise<ExitCode> {
  const isForChanges = options.changes === true;
  if (isForChanges && (options.comment ?? "").trim() === "")
    throw new UsageError("--changes needs --comment with the changes to make");
  const { sendVote } = await import("../sessions/vote-session.ts");
  return sendVote({ verb: "reject", verdict: isForChanges ? "changes" : "reject", id, step, options }, terminal);
}
