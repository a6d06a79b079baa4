// `segno cancel`: stops an execution, wherever it runs. One that has ended is answered with its state (CANCEL-6).

import { isTerminalStatus } from "@segno/kernel";

import { ask, type Wish } from "../executions/ask.ts";
import { findExecution } from "../executions/find-execution.ts";
import { openToAsk } from "../executions/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportAnswer, type AnswerOptions } from "./answer-report.ts";

export interface CancelVerbOptions extends AnswerOptions {
  readonly drain?: boolean;
  readonly force?: boolean;
  readonly compensate?: boolean;
  readonly reason?: string;
}

export async function cancel(id: string, options: CancelVerbOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await ask(handle, cancelWish(options));
  return reportAnswer({ verb: "cancel", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}

function cancelWish(options: CancelVerbOptions): Wish {
  const { drain, force, compensate = false, reason = "cancelled with segno cancel" } = options;
  const mode = drain === true ? "drain" : "abort";
  return {
    make: (handle) => handle.cancel({ mode, reason, compensate, ...(force === true ? { graceMs: 0 } : {}) }),
    isThere: () => false,
    isPossible: (status) => !isTerminalStatus(status),
    isMet: ({ status }) => isTerminalStatus(status),
  };
}
