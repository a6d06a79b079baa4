// `segno cancel`: stops an execution, wherever it runs. One that has ended is answered with its state (CANCEL-6).

import { isTerminalStatus } from "@segno/kernel";

import { sendControl, type ControlRequest } from "../control/send-control.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { openToAsk } from "../journal/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printControlResult, type ControlOptions } from "../reports/control-report.ts";

export interface CancelCommandOptions extends ControlOptions {
  readonly drain?: boolean;
  readonly force?: boolean;
  readonly compensate?: boolean;
  readonly reason?: string;
}

export async function cancel(id: string, options: CancelCommandOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await sendControl(handle, cancelRequest(options));
  return printControlResult({ verb: "cancel", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}

function cancelRequest(options: CancelCommandOptions): ControlRequest {
  const { drain, force, compensate = false, reason = "cancelled with segno cancel" } = options;
  const mode = drain === true ? "drain" : "abort";
  return {
    send: (handle) => handle.cancel({ mode, reason, compensate, ...(force === true ? { graceMs: 0 } : {}) }),
    isSatisfied: () => false,
    isAllowed: (status) => !isTerminalStatus(status),
    hasTakenEffect: ({ status }) => isTerminalStatus(status),
  };
}
