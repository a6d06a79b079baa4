import type { Event } from "@segno/kernel";

import type { DeliveryResult } from "../control/send-message.ts";
import { titleText } from "../progress/step-title.ts";

/** Reads from the journal whether a step consumed the signal, refused it, or whether no step waits for it yet. */
export function describeReceipt(
  name: string,
  { events, report }: DeliveryResult,
): { readonly said: string; readonly isUnfit: boolean } {
  const stepTitle = (event: Event & { readonly step: number }): string => {
    const step = report.steps[event.step];
    return step === undefined ? "a step" : titleText(step);
  };
  const taken = events.find((event) => event.kind === "step.completed");
  if (taken !== undefined) return { said: `signal ${name} was consumed by ${stepTitle(taken)}`, isUnfit: false };
  const refused = events.findLast((event) => event.kind === "signal.refused");
  if (refused === undefined) return { said: `signal ${name} is kept until a step waits for it`, isUnfit: false };
  return { said: `signal ${name} does not fit ${stepTitle(refused)}: ${refused.failure.message}`, isUnfit: true };
}
