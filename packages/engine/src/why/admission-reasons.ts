// The scheduler's reasons for a step, with step names instead of indexes.

import { itemLabel, stepName } from "@segno/kernel";
import type { WaitReason } from "../scheduler/wait-reason.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { AdmissionReason, StepOfExecution } from "./reason.ts";

interface OwnedStep {
  readonly owner: LiveExecution;
  readonly step: number;
}

export function toAdmissionReason(reason: WaitReason<LiveExecution>): AdmissionReason {
  switch (reason.kind) {
    case "closing":
    case "slots":
    case "execution":
    case "breaker":
    case "turn":
      return reason;
    case "quota": {
      const { reservedFor, ...same } = reason;
      return reservedFor === undefined ? same : { ...same, reservedFor: withOwnerName(reservedFor) };
    }
    case "agent":
    case "step-limit":
    case "resource": {
      const { reservedFor, holders, ...same } = reason;
      const reserved = reservedFor === undefined ? {} : { reservedFor: withOwnerName(reservedFor) };
      return { ...same, holders: holders.map(withOwnerName), ...reserved };
    }
  }
}

function withOwnerName<At extends OwnedStep>(holder: At): Omit<At, "owner"> & { readonly owner: StepOfExecution } {
  const { owner, step } = holder;
  const { id: execution, state, world } = owner;
  const label = itemLabel(state, step, world);
  return {
    ...holder,
    owner: { execution, step: stepName(state, step), ...(label === undefined ? {} : { label }) },
  };
}
