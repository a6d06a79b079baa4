// `segno signal`: brings a signal to an execution, wherever it runs. It is kept until a step waits for it (BEYOND-2).

import { randomUUID } from "node:crypto";

import type { ExecutionHandle, Reception } from "@segno/engine";
import { SegnoError, type Event, type Json } from "@segno/kernel";

import { readInputArgument } from "../document/input-argument.ts";
import { findExecution } from "../executions/find-execution.ts";
import { openToAsk } from "../executions/open-engine.ts";
import { tell, type Told } from "../executions/tell.ts";
import type { ExitCode } from "../exit-code.ts";
import { titleOf } from "../progress/step-title.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { AnswerOptions } from "./answer-report.ts";
import { reportTold } from "./told-report.ts";

export interface SignalOptions extends AnswerOptions {
  readonly payload?: string;
  readonly id?: string;
}

export async function signal(id: string, name: string, options: SignalOptions, terminal: Terminal): Promise<ExitCode> {
  const payload: Json = options.payload === undefined ? null : await readInputArgument(options.payload, "--payload");
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const signalId = options.id ?? randomUUID();
  const told = await tell(handle, { id: signalId, send: (asked) => sent(asked, name, payload, signalId) });
  return reportTold({
    verb: "signal",
    what: "signal",
    id: handle.id,
    told,
    ...receiptOf(name, told),
    facts: { signal: name, signalId },
    isElsewhere: !engine.isOwner,
    options,
    terminal,
  });
}

/** One that does not fit is in the journal, with the step that refused it. */
async function sent(handle: ExecutionHandle, name: string, payload: Json, id: string): Promise<Reception> {
  try {
    return await handle.signal(name, payload, { id });
  } catch (error) {
    if (error instanceof SegnoError && error.code === "SIGNAL_INVALID") return { kind: "accepted" };
    throw error;
  }
}

/** What the journal says of it: a step took it, refused it, or none waits for it yet. */
function receiptOf(name: string, { events, report }: Told): { readonly said: string; readonly isUnfit: boolean } {
  const stepOf = (event: Event & { readonly step: number }): string => {
    const step = report.steps[event.step];
    return step === undefined ? "a step" : titleOf(step);
  };
  const taken = events.find((event) => event.kind === "step.completed");
  if (taken !== undefined) return { said: `signal ${name} was taken by ${stepOf(taken)}`, isUnfit: false };
  const refused = events.findLast((event) => event.kind === "signal.refused");
  if (refused === undefined) return { said: `signal ${name} is kept until a step waits for it`, isUnfit: false };
  return { said: `signal ${name} does not fit ${stepOf(refused)}: ${refused.failure.message}`, isUnfit: true };
}
