// `segno pause`: nothing new of an execution starts; what runs may end (CANCEL-7).

import { isTerminalStatus } from "@segno/kernel";

import { sendControl } from "../control/send-control.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { openToAsk } from "../journal/open-engine.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printControlResult, type ControlOptions } from "../reports/control-report.ts";

export async function pause(id: string, options: ControlOptions, terminal: Terminal): Promise<ExitCode> {
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const answer = await sendControl(handle, {
    send: (asked) => asked.pause(),
    isSatisfied: (status) => status === "paused",
    isAllowed: (status) => !isTerminalStatus(status) && status !== "cancelling",
    hasTakenEffect: ({ status }) => status === "paused" || status === "parked",
  });
  return printControlResult({ verb: "pause", id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}
