// `segno reject`: a vote against what a step asks, or a request for changes (BEYOND-2).

import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import { sendVote, type VoteCommandOptions } from "./send-vote.ts";

export interface RejectOptions extends VoteCommandOptions {
  readonly changes?: boolean;
}

export async function reject(id: string, step: string, options: RejectOptions, terminal: Terminal): Promise<ExitCode> {
  const isForChanges = options.changes === true;
  if (isForChanges && (options.comment ?? "").trim() === "")
    throw new UsageError("expected --comment beside --changes: it says what to change");
  return sendVote({ verb: "reject", verdict: isForChanges ? "changes" : "reject", id, step, options }, terminal);
}
