// `segno signal`: brings a signal to an execution, wherever it runs. It is kept until a step waits for it (BEYOND-2).

import { randomUUID } from "node:crypto";

import type { ExecutionHandle, CommandResult } from "@segno/engine";
import { SegnoError, type Event, type Json } from "@segno/kernel";

import { readInputArgument } from "../document/input-argument.ts";
import { findExecution } from "../lookup/find-execution.ts";
import { openToAsk } from "../journal/open-engine.ts";
import { sendMessage, type DeliveryResult } from "../control/send-message.ts";
import type { ExitCode } from "../exit-code.ts";
import { titleText } from "../progress/step-title.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ControlOptions } from "../reports/control-report.ts";
import { printDelivery } from "../reports/delivery-report.ts";

export interface SignalOptions extends ControlOptions {
  readonly payload?: string;
  readonly id?: string;
}

export async function signal(id: string, name: string, options: SignalOptions, terminal: Terminal): Promise<ExitCode> {
  const payload: Json = options.payload === undefined ? null : await readInputArgument(options.payload, "--payload");
  await using engine = await openToAsk(options);
  const handle = await findExecution(engine, id);
  const signalId = options.id ?? randomUUID();
  const delivery = await sendMessage(handle, {
    id: signalId,
    send: (asked) => sendSignal(asked, name, payload, signalId),
  });
  return printDelivery({
    verb: "signal",
    what: "signal",
    id: handle.id,
    told: delivery,
    ...describeReceipt(name, delivery),
    facts: { signal: name, signalId },
    isElsewhere: !engine.isOwner,
    options,
    terminal,
  });
}

/** One that does not fit is in the journal, with the step that refused it. */
async function sendSignal(handle: ExecutionHandle, name: string, payload: Json, id: string): Promise<CommandResult> {
  try {
    return await handle.signal(name, payload, { id });
  } catch (error) {
    if (error instanceof SegnoError && error.code === "SIGNAL_INVALID") return { kind: "accepted" };
    throw error;
  }
}

/** What the journal says of it: a step took it, refused it, or none waits for it yet. */
function describeReceipt(
  name: string,
  { events, report }: DeliveryResult,
): { readonly said: string; readonly isUnfit: boolean } {
  const stepTitle = (event: Event & { readonly step: number }): string => {
    const step = report.steps[event.step];
    return step === undefined ? "a step" : titleText(step);
  };
  const taken = events.find((event) => event.kind === "step.completed");
  if (taken !== undefined) return { said: `signal ${name} was taken by ${stepTitle(taken)}`, isUnfit: false };
  const refused = events.findLast((event) => event.kind === "signal.refused");
  if (refused === undefined) return { said: `signal ${name} is kept until a step waits for it`, isUnfit: false };
  return { said: `signal ${name} does not fit ${stepTitle(refused)}: ${refused.failure.message}`, isUnfit: true };
}
