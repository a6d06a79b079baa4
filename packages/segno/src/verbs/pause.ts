// `segno pause`: nothing new of an execution starts; what runs may end (CANCEL-7).

import { isTerminalStatus } from "@segno/kernel";

import { ask } from "../executions/ask.ts";
import { findExecution } from "../executions/find-execution.ts";
import { openToAsk } from "../executions/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportAnswer, type AnswerOptions } from "./answer-report.ts";

export async function pause(id: string, options: AnswerOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await ask(handle, {
    make: (asked) => asked.pause(),
    isThere: (status) => status === "paused",
    isPossible: (status) => !isTerminalStatus(status) && status !== "cancelling",
    isMet: ({ status }) => status === "paused" || status === "parked",
  });
  return reportAnswer({ verb: "pause", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}
