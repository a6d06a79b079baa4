import type { ControlRequest } from "../control/send-control.ts";
import { sendControl } from "../control/send-control.ts";
import type { ExitCode } from "../errors/exit-code.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { printControlResult, type ControlOptions } from "../reports/control-report.ts";
import { openToControl } from "../remote/open-inspected.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ControlCommand {
  readonly verb: string;
  readonly id: string;
  readonly request: ControlRequest;
  readonly options: ControlOptions;
}

/** Sends one control command to an execution and prints its result. */
export async function controlExecution(command: ControlCommand, terminal: Terminal): Promise<ExitCode> {
  const { verb, id, request, options } = command;
  await using engine = await openToControl(options);
  const handle = await findExecution(engine, id);
  const answer = await sendControl(handle, request);
  return printControlResult({ verb, id: handle.id, answer, isElsewhere: !engine.isOwner, options, terminal });
}
