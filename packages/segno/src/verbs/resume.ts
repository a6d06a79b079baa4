// `segno resume`: an execution that was paused or parked goes on (CANCEL-7).

import { isTerminalStatus } from "@segno/kernel";

import { ask } from "../executions/ask.ts";
import { findExecution } from "../executions/find-execution.ts";
import { openToAsk } from "../executions/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportAnswer, type AnswerOptions } from "./answer-report.ts";

export async function resume(id: string, options: AnswerOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await ask(handle, {
    make: (asked) => asked.resume(),
    isThere: (status) => status !== "paused" && status !== "parked" && !isTerminalStatus(status),
    isPossible: (status) => !isTerminalStatus(status),
    isMet: ({ status, seq }, before) => status !== before.status || seq > before.seq,
  });
  return reportAnswer({ verb: "resume", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}
