// `segno approve`: a vote for what a step asks (BEYOND-2).

import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { castBallot, type BallotOptions } from "./ballot.ts";

export function approve(id: string, step: string, options: BallotOptions, terminal: Terminal): Promise<ExitCode> {
  return castBallot({ verb: "approve", verdict: "approve", id, step, options }, terminal);
}
