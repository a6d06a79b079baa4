// The happenings that may come next: answers to requests, and happenings from people and from crashes, some twice, too late or by
// mistake.

import {
  contentHash,
  durationMs,
  epochMs,
  inlineValue,
  stepIndex,
  type Failure,
  type FailureClass,
  type Json,
  type Outcome,
  type StepIndex,
  type Timer,
} from "../../src/index.ts";
import { notUndone } from "../../src/state/compensation.ts";
import { surroundings } from "../../src/state/step-position.ts";
import { stepCount } from "../../src/state/state.ts";
import type { Choices } from "./choices.ts";
import { expansions, pickEntry, plainOutcome, type Driver, type Untimed } from "./driver.ts";

export interface Disturbance {
  /** People cancel, pause, park, resume, retry. */
  readonly control: boolean;
  /** Attempts fail, are skipped, expand, are lost. */
  readonly trouble: boolean;
  /** Stale, duplicate and invalid happenings; and clocks that go back. */
  readonly noise: boolean;
}

export const EVERYTHING: Disturbance = { control: true, trouble: true, noise: true };

/** A step that always fails does so in every round; a few rounds show all of its behaviour. */
const ROUNDS_MAX = 4;

/** Delivers happenings until the choices are used up, or the execution has ended and is not retried. */
export function disturb(driver: Driver, choices: Choices, kind: Disturbance = EVERYTHING, most = 120): void {
  for (let turn = 0; turn < most && !choices.isUsedUp; turn++) bringOne(driver, choices, kind);
}

function bringOne(driver: Driver, choices: Choices, kind: Disturbance): void {
  const what = choices.below(100);
  if (what >= 93 && kind.noise) return bringNoise(driver, choices);
  if (what >= 84 && kind.control) return bringControl(driver, choices);
  if (what >= 76) return bringMessage(driver, choices);
  if (what >= 68 && bringTimer(driver, choices)) return;
  if (what >= 62 && kind.trouble && bringLoss(driver, choices)) return;
  if (what >= 58 && bringCall(driver, choices)) return;
  if (what >= 35 && bringEnd(driver, choices, kind)) return;
  if (bringGrant(driver, choices) || bringEnd(driver, choices, kind) || bringTimer(driver, choices)) return;
  if (driver.isEnded && kind.control) bringAnotherChance(driver, choices);
}

/** If the rest of a compensation can be tried again, that is mostly chosen; otherwise a new round. */
function bringAnotherChance(driver: Driver, choices: Choices): void {
  const isLeft = notUndone(driver.state).length > 0;
  if (isLeft && choices.percent(70)) driver.bring({ kind: "retry", undo: true });
  else if (driver.state.baseStatus === "completed" && driver.state.round < ROUNDS_MAX)
    driver.bring({ kind: "retry", tolerated: true });
  else if (driver.state.round < ROUNDS_MAX) driver.bring({ kind: "retry" });
}

function bringGrant(driver: Driver, choices: Choices): boolean {
  const [resolved] = pickEntry(driver.resolves, choices);
  if (resolved !== undefined && choices.percent(50)) {
    driver.resolve(resolved, !choices.percent(10));
    return true;
  }
  const [admitted] = pickEntry(driver.admits.entries(), choices);
  if (admitted !== undefined) driver.grant(admitted);
  else if (resolved !== undefined) driver.resolve(resolved);
  return admitted !== undefined || resolved !== undefined;
}

function bringEnd(driver: Driver, choices: Choices, kind: Disturbance): boolean {
  const [step] = pickEntry(driver.attempts, choices);
  if (step === undefined) return false;
  driver.end(step, kind.trouble ? outcome(driver, step, choices) : plainOutcome(step));
  return true;
}

function outcome(driver: Driver, step: number, choices: Choices): Outcome {
  const what = choices.below(20);
  if (what < 9) return plainOutcome(step);
  if (what < 13) return { kind: "failed", failure: failure(choices) };
  if (what < 14) return { kind: "skipped", message: "nothing to do" };
  if (what < 16) return { kind: "succeeded", output: driver.store({ value: step }) };
  if (what < 18) return { kind: "succeeded", output: inlineValue(choices.of([null, 5, [1], "text"])) };
  if (stepCount(driver.state) > 60) return plainOutcome(step);
  return choices.of(expansions(surroundings(driver.state, step).inMap));
}

function failure(choices: Choices): Failure {
  return {
    class: choices.of<FailureClass>(["transient", "permanent", "transient", "timeout"]),
    code: "BROKEN",
    message: "it broke",
    ...(choices.percent(10) ? { retryAfter: durationMs(7) } : {}),
  };
}

function bringLoss(driver: Driver, choices: Choices): boolean {
  const [step] = pickEntry(driver.attempts, choices);
  if (step !== undefined) driver.lose(step);
  return step !== undefined;
}

/** An attempt records a call; it may have recorded the name before. */
function bringCall(driver: Driver, choices: Choices): boolean {
  const [step, epoch] = pickEntry(driver.attempts, choices);
  if (step === undefined || epoch === undefined) return false;
  driver.bring(recorded(driver, step, epoch, choices));
  return true;
}

function recorded(driver: Driver, step: number, epoch: number, choices: Choices): Untimed {
  const value = choices.percent(30) ? driver.store({ call: step }) : inlineValue(choices.of([null, "text"]));
  const name = choices.of(["plan", "plan#2"]);
  return { kind: "recorded", step: stepIndex(step), epoch, name, startedAt: epochMs(driver.now), value };
}

function bringTimer(driver: Driver, choices: Choices): boolean {
  const [key] = pickEntry(driver.timers, choices);
  if (key !== undefined) driver.ring(key);
  return key !== undefined;
}

function bringMessage(driver: Driver, choices: Choices): void {
  if (choices.percent(50))
    return driver.vote(anyStep(driver, choices), choices.of(["ann", "bob", "eve"]), verdict(choices), answer(choices));
  driver.bring({
    kind: "signalled",
    id: `i${choices.below(8)}`,
    name: choices.of(["go", "stop"]),
    payload: choices.percent(30) ? driver.store(4) : inlineValue(choices.of([3, "word"])),
  });
}

function answer(choices: Choices): Json | undefined {
  return choices.of([undefined, undefined, 1, "one"]);
}

function verdict(choices: Choices): "approve" | "reject" | "changes" {
  return choices.of(["approve", "approve", "reject", "changes"] as const);
}

function anyStep(driver: Driver, choices: Choices): number {
  return choices.below(stepCount(driver.state) + 2);
}

function bringControl(driver: Driver, choices: Choices): void {
  const what = choices.below(13);
  if (what === 12) driver.bring({ kind: "retry", undo: true });
  else if (what < 3) driver.bring({ kind: "pause" });
  else if (what < 6) driver.bring({ kind: "resume" });
  else if (what < 7) driver.bring({ kind: "park", cause: "journal-limit", reason: "look at it" });
  else if (what < 9 && driver.state.round < ROUNDS_MAX) driver.bring({ kind: "retry" });
  else if (what < 11 && !choices.percent(60)) driver.bring({ kind: "resume" });
  else {
    driver.bring({
      kind: "cancel",
      mode: driver.state.cancelling === undefined ? choices.of(["drain", "abort"]) : "abort",
      reason: "enough",
      ...(choices.percent(40) ? { compensate: true } : {}),
      ...(choices.percent(20) ? { grace: durationMs(0) } : {}),
    });
  }
}

function bringNoise(driver: Driver, choices: Choices): void {
  const what = choices.below(8);
  const [early] = pickEntry(driver.timers, choices);
  if (what === 7 && early !== undefined) driver.ring(early, -1);
  else if (what === 0) driver.now = Math.max(0, driver.now - choices.below(200));
  else if (what === 1) driver.now += choices.below(200);
  else if (what < 4 && driver.turns.length > 0) repeat(driver, choices);
  else driver.bring(nonsense(driver, choices));
}

/** A happening that was delivered before comes again; a grant that was used is one slot too many. */
function repeat(driver: Driver, choices: Choices): void {
  const { at: _, ...untimed } = choices.of(driver.turns).happening;
  driver.bring(untimed);
}

export function nonsense(driver: Driver, choices: Choices): Untimed {
  const step = stepIndex(anyStep(driver, choices));
  const epoch = choices.below(4);
  switch (choices.below(10)) {
    case 0:
      return { kind: "ended", step, epoch, outcome: plainOutcome(step) };
    case 1:
      return { kind: "lost", step, epoch, reason: "nonsense" };
    case 2:
      return { kind: "granted", step };
    case 3:
      return { kind: "resolved", step, definition: contentHash("sha256:nowhere") };
    case 4:
      return { kind: "unresolved", step, failure: { class: "permanent", code: "NONSENSE", message: "" } };
    case 5:
      return { kind: "begin" };
    case 6:
      return { kind: "proceed" };
    case 7:
      return recorded(driver, step, epoch, choices);
    default:
      return { kind: "due", timer: anyTimer(step, epoch, choices) };
  }
}

function anyTimer(step: StepIndex, epoch: number, choices: Choices): Timer {
  return choices.of<Timer>([
    { kind: "wait", step },
    { kind: "backoff", step, epoch },
    { kind: "attempt-deadline", step, epoch },
    { kind: "execution-deadline" },
    { kind: "grace-end", step, epoch },
  ]);
}
