// `segno resume`: an execution that was paused or parked goes on (CANCEL-7).

import { isTerminalStatus } from "@segno/kernel";

import { sendControl } from "../control/send-control.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { openToAsk } from "../journal/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printControlResult, type ControlOptions } from "../reports/control-report.ts";

export async function resume(id: string, options: ControlOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await sendControl(handle, {
    send: (asked) => asked.resume(),
    isSatisfied: (status) => status !== "paused" && status !== "parked" && !isTerminalStatus(status),
    isAllowed: (status) => !isTerminalStatus(status),
    hasTakenEffect: ({ status, seq }, before) => status !== before.status || seq > before.seq,
  });
  return printControlResult({ verb: "resume", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}
