// The records of every attempt: the event that it started, the effect that runs it, and the event that it completed.
//
// The records are classes and not literals because there is one of each for every step. V8 tracks how long the objects of a
// literal live. Once the objects of the first steps, which live as long as the state, have survived a collection or two, V8
// allocates all later ones in the old generation, and collecting that is the largest cost of a step.

import { EVENT_VERSION, type StepCompleted, type StepStarted } from "../journal/event.ts";
import type { SecretPath } from "../model/secret-path.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { RunEffect } from "./effect.ts";
import type { ResolvedCall } from "../state/state.ts";

/** Fields are written in this order. */
export class StartedRecord implements StepStarted {
  readonly v: typeof EVENT_VERSION = EVENT_VERSION;
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind = "step.started";
  readonly step: StepIndex;
  readonly attempt: number;
  readonly epoch: number;
  readonly worker: string | undefined;
  readonly deadline: EpochMs | undefined;

  constructor(seq: number, at: EpochMs, { step, attempt, epoch, deadline }: RunEffect, worker: string | undefined) {
    this.seq = seq;
    this.at = at;
    this.step = step;
    this.attempt = attempt;
    this.epoch = epoch;
    this.worker = worker;
    this.deadline = deadline;
  }
}

export class CompletedRecord implements StepCompleted {
  readonly v: typeof EVENT_VERSION = EVENT_VERSION;
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind = "step.completed";
  readonly step: StepIndex;
  readonly output: Value;

  constructor(seq: number, at: EpochMs, step: StepIndex, output: Value) {
    this.seq = seq;
    this.at = at;
    this.step = step;
    this.output = output;
  }
}

export class RunRecord implements RunEffect {
  readonly kind = "run";
  readonly step: StepIndex;
  readonly attempt: number;
  readonly epoch: number;
  readonly call: Value | undefined;
  readonly secrets: readonly SecretPath[];
  readonly deadline: EpochMs | undefined;

  constructor(
    step: StepIndex,
    attempt: number,
    epoch: number,
    { value, secrets }: ResolvedCall,
    deadline: EpochMs | undefined,
  ) {
    this.step = step;
    this.attempt = attempt;
    this.epoch = epoch;
    this.call = value;
    this.secrets = secrets;
    this.deadline = deadline;
  }
}

export class AdmitRecord {
  readonly kind = "admit";
  readonly step: StepIndex;

  constructor(step: StepIndex) {
    this.step = step;
  }
}

export class ReleaseRecord {
  readonly kind = "release";
  readonly step: StepIndex;

  constructor(step: StepIndex) {
    this.step = step;
  }
}
