// The happenings of attempts. Every attempt has the first two, so they are classes, as the kernel's records of attempts
// are; `attempt-records.ts` of the kernel has the reason.

import type { DurationMs, EpochMs, Happening, Outcome, StepIndex } from "@segno/kernel";

type Of<Kind extends Happening["kind"]> = Extract<Happening, { kind: Kind }>;

export class GrantedHappening implements Of<"granted"> {
  readonly kind = "granted";
  readonly at: EpochMs;
  readonly step: StepIndex;
  readonly worker: string;
  readonly timeout: DurationMs | undefined;

  constructor(at: EpochMs, step: StepIndex, worker: string, timeout: DurationMs | undefined) {
    this.at = at;
    this.step = step;
    this.worker = worker;
    this.timeout = timeout;
  }
}

export class EndedHappening implements Of<"ended"> {
  readonly kind = "ended";
  readonly at: EpochMs;
  readonly step: StepIndex;
  readonly epoch: number;
  readonly outcome: Outcome;

  constructor(at: EpochMs, step: StepIndex, epoch: number, outcome: Outcome) {
    this.at = at;
    this.step = step;
    this.epoch = epoch;
    this.outcome = outcome;
  }
}

/** The attempt never started, or the process that ran it is gone. */
export function lostHappening(at: EpochMs, step: number, epoch: number, reason: string): Happening {
  return { kind: "lost", at, step: step as StepIndex, epoch, reason };
}
