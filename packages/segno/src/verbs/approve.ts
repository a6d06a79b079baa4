// `segno approve`: a vote for what a step asks (BEYOND-2).

import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { sendVote, type VoteCommandOptions } from "./send-vote.ts";

export function approve(id: string, step: string, options: VoteCommandOptions, terminal: Terminal): Promise<ExitCode> {
  return sendVote({ verb: "approve", verdict: "approve", id, step, options }, terminal);
}
