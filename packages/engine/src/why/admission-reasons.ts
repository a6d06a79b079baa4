// The scheduler's reasons for a step, with step names instead of indexes.

import { itemLabel, stepName } from "@segno/kernel";
import type { ExecutionStep, WaitReason } from "../scheduler/wait-reason.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { AdmissionReason, StepOfExecution } from "./reason.ts";

type LiveStep = ExecutionStep<LiveExecution>;

export function toAdmissionReason(reason: WaitReason<LiveStep>): AdmissionReason {
  switch (reason.kind) {
    case "closing":
    case "slots":
    case "execution-limit":
    case "breaker":
    case "position":
      return reason;
    case "quota": {
      const { reservedFor, ...same } = reason;
      return reservedFor === undefined ? same : { ...same, reservedFor: toNamedStep(reservedFor) };
    }
    case "agent":
    case "step-limit":
    case "resource": {
      const { reservedFor, holders, ...same } = reason;
      const reserved = reservedFor === undefined ? {} : { reservedFor: toNamedStep(reservedFor) };
      const named = holders.map((holder) => ({ ...toNamedStep(holder), isLingering: holder.isLingering }));
      return { ...same, holders: named, ...reserved };
    }
  }
}

function toNamedStep({ execution: { id, state, values }, step }: LiveStep): StepOfExecution {
  const label = itemLabel(state, step, values);
  return { execution: id, step: stepName(state, step), ...(label === undefined ? {} : { label }) };
}
