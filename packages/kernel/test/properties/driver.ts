// A driver: a small engine around one execution. It keeps the outstanding requests, and a row of choices decides what comes next:
// the answers to requests, in any order, and happenings that were not requested.

import {
  advance,
  contentHash,
  createState,
  durationMs,
  epochMs,
  executionId,
  inlineValue,
  stepId,
  stepIndex,
  stepName,
  listTimers,
  type ContentHash,
  type Effect,
  type RunEffect,
  type Event,
  type Failure,
  type Happening,
  type Json,
  type Outcome,
  type State,
  type StepDefinition,
  type Timer,
  type Value,
  type StoredValues,
} from "../../src/index.ts";
import { CANCELLING, RUNNING, SUSPENDED } from "../../src/state/phase.ts";
import { stepCount } from "../../src/state/state.ts";
import type { Choices } from "./choices.ts";
import { subWorkflow, type Workflow } from "./definitions.ts";

const INPUT: Json = { flag: true, list: [1, 2, 3], until: 1200 };

/** A happening as it was delivered, and its result. */
export interface Turn {
  readonly happening: Happening;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly isIgnored: boolean;
}

/** A happening without its time: the driver's clock adds it. */
export type Untimed<Each = Happening> = Each extends Happening ? Omit<Each, "at"> : never;

export class Driver {
  readonly state: State;
  readonly journal: Event[] = [];
  readonly turns: Turn[] = [];
  readonly admits = new Set<number>();
  readonly resolves = new Map<number, string>();
  /** Attempts that were started and have neither ended nor been killed. */
  readonly attempts = new Map<number, number>();
  readonly timers = new Map<string, { readonly timer: Timer; readonly dueAt: number }>();
  now: number;
  /** Called after each turn. */
  onTurn: (turn: Turn) => void = () => undefined;
  readonly #stored = new Map<ContentHash, Json>();
  readonly #loaded = new Set<ContentHash>();
  readonly #storedValues: StoredValues;

  constructor(workflow: Workflow, state: State = createState(workflow.program, workflow.library)) {
    this.state = state;
    this.now = Math.max(1000, state.at);
    this.#storedValues = {
      value: (hash) => (this.#loaded.has(hash) ? this.#stored.get(hash) : undefined),
      checkSchema: (schema, value) => {
        const type = typeof schema === "object" ? schema["type"] : undefined;
        const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
        return type === undefined || type === found ? [] : [{ path: "", message: `expected ${JSON.stringify(type)}` }];
      },
    };
  }

  get values(): StoredValues {
    return this.#storedValues;
  }

  /** A value that has to be loaded before it can be read. */
  store(json: Json): Value {
    const hash = contentHash(`sha256:stored${this.#stored.size}`);
    this.#stored.set(hash, json);
    return { kind: "stored", hash, bytes: JSON.stringify(json).length };
  }

  /** Copies the values of another driver, as a store would have them. */
  adoptValues(other: Driver): void {
    for (const [hash, json] of other.#stored) this.#stored.set(hash, json);
  }

  /** Runs up to the first steps; the execution may be cancelled before. */
  begin(isCancelled = false): void {
    this.bring({
      kind: "create",
      execution: executionId("e"),
      definition: contentHash("sha256:root"),
      input: inlineValue(INPUT),
      seed: 7,
      correlationId: "c",
    });
    if (isCancelled) this.bring({ kind: "cancel", mode: "abort", reason: "too late" });
    this.bring({ kind: "begin" });
  }

  /** Delivers a happening at the driver's time, loads the needed values, and decides everything that follows. */
  bring(untimed: Untimed): Turn {
    const happening = { ...untimed, at: epochMs(this.now) } as Happening;
    const events: Event[] = [];
    const effects: Effect[] = [];
    let next = happening;
    let isIgnored = false;
    for (let first = true; ;) {
      const part = advance(this.state, next, this.#storedValues);
      events.push(...part.events);
      effects.push(...part.effects);
      if (first && part.isHappeningConsumed) [isIgnored, first] = [part.reply.kind === "ignored", false];
      if (part.missingValues.length === 0) break;
      for (const hash of part.missingValues) this.#loaded.add(hash);
      if (part.isHappeningConsumed) next = { kind: "proceed", at: happening.at };
    }
    this.journal.push(...events);
    for (const effect of effects) this.#carryOut(effect);
    const turn: Turn = { happening, events, effects, isIgnored };
    this.turns.push(turn);
    this.onTurn(turn);
    return turn;
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "admit":
        this.admits.add(effect.step);
        return;
      case "resolve-definition":
        this.resolves.set(effect.step, effect.workflow);
        return;
      case "withdraw":
        this.#withdraw(effect.step);
        return;
      case "run":
        this.#run(effect);
        return;
      case "arm":
        this.timers.set(JSON.stringify(effect.timer), effect);
        return;
      case "disarm":
        if (effect.timer === undefined) this.timers.clear();
        else this.timers.delete(JSON.stringify(effect.timer));
        return;
      case "abort":
        if (effect.force && this.attempts.get(effect.step) === effect.epoch) this.attempts.delete(effect.step);
        return;
      case "release":
        this.#forgetDeadline(effect.step);
        return;
    }
  }

  #run({ step, epoch, deadline }: RunEffect): void {
    this.attempts.set(step, epoch);
    const timer: Timer = { kind: "attempt-deadline", step, epoch };
    if (deadline !== undefined) this.timers.set(JSON.stringify(timer), { timer, dueAt: deadline });
  }

  #forgetDeadline(step: number): void {
    for (const [key, { timer }] of this.timers)
      if (timer.kind === "attempt-deadline" && timer.step === step) this.timers.delete(key);
  }

  #withdraw(step: number | undefined): void {
    if (step === undefined) {
      this.admits.clear();
      this.resolves.clear();
    } else {
      this.admits.delete(step);
      this.resolves.delete(step);
    }
  }

  grant(step: number): void {
    this.admits.delete(step);
    this.bring({ kind: "granted", step: stepIndex(step) });
  }

  resolve(step: number, isKnown = true): void {
    const definition = subWorkflow(this.resolves.get(step)!);
    this.resolves.delete(step);
    const failure: Failure = { class: "permanent", code: "UNKNOWN", message: "there is no such workflow" };
    if (isKnown) this.bring({ kind: "resolved", step: stepIndex(step), definition });
    else this.bring({ kind: "unresolved", step: stepIndex(step), failure });
  }

  end(step: number, outcome: Outcome): void {
    const epoch = this.attempts.get(step)!;
    this.attempts.delete(step);
    this.bring({ kind: "ended", step: stepIndex(step), epoch, outcome });
  }

  lose(step: number): void {
    const epoch = this.attempts.get(step)!;
    this.attempts.delete(step);
    this.bring({ kind: "lost", step: stepIndex(step), epoch, reason: "gone" });
  }

  /** A timer fires at its time or later; some clocks fire a moment early. */
  ring(key: string, lateness = 0): void {
    const { timer, dueAt } = this.timers.get(key)!;
    this.timers.delete(key);
    this.now = Math.max(this.now, dueAt + lateness);
    this.bring({ kind: "due", timer });
  }

  get isEnded(): boolean {
    return (
      this.state.baseStatus === "completed" ||
      this.state.baseStatus === "failed" ||
      this.state.baseStatus === "cancelled"
    );
  }

  /** Acts as an owner that has just folded the journal: no attempt of the old owner is running. */
  recover(): void {
    this.bring({ kind: "proceed" });
    for (let step = 0; step < stepCount(this.state); step++) {
      const event = this.state.phaseEvents[step];
      const phase = this.state.columns.phase[step];
      const isAttempt =
        phase === RUNNING ||
        (phase === CANCELLING && (event?.kind === "steps.cancelling" || event?.kind === "step.overdue"));
      if (isAttempt && !this.attempts.has(step)) {
        const epoch = this.state.columns.epoch[step]!;
        if (epoch > 0) this.bring({ kind: "lost", step: stepIndex(step), epoch, reason: "the process ended" });
      }
    }
    for (const due of listTimers(this.state)) this.timers.set(JSON.stringify(due.timer), due);
  }

  /** Answers all outstanding requests until the execution ends; reports what it waits for if it does not end. */
  finish(choices: Choices, most = 4000): string | undefined {
    for (let turn = 0; turn < most && !this.isEnded; turn++) {
      if (this.state.hold !== undefined) this.bring({ kind: "resume" });
      else if (!this.#finishOne(choices)) return `nothing is outstanding, but it is ${this.state.baseStatus}`;
    }
    return this.isEnded ? undefined : `it is still ${this.state.baseStatus} after ${most} turns`;
  }

  #finishOne(choices: Choices): boolean {
    const [attempt] = pickEntry(this.attempts, choices);
    if (attempt !== undefined && !choices.percent(10)) {
      this.end(attempt, plainOutcome(attempt));
      return true;
    }
    const [admitted] = pickEntry(this.admits.entries(), choices);
    const [resolved] = pickEntry(this.resolves, choices);
    if (admitted !== undefined) this.grant(admitted);
    else if (resolved !== undefined) this.resolve(resolved);
    else if (!this.#satisfyWait()) {
      const earliest = [...this.timers].toSorted(([, a], [, b]) => a.dueAt - b.dueAt)[0];
      if (earliest !== undefined) this.ring(earliest[0]);
      else if (attempt !== undefined) this.end(attempt, plainOutcome(attempt));
      else return false;
    }
    return true;
  }

  #satisfyWait(): boolean {
    for (let step = 0; step < stepCount(this.state); step++) {
      const event = this.state.phaseEvents[step];
      if (this.state.columns.phase[step] !== SUSPENDED || event?.kind !== "step.suspended") continue;
      if (event.wait.kind === "signal")
        this.bring({
          kind: "signalled",
          id: `f${this.turns.length}`,
          name: event.wait.signal,
          payload: inlineValue(1),
        });
      else if (event.wait.kind === "approval")
        this.vote(
          step,
          this.turns.length % 2 === 0 ? "ann" : "bob",
          "approve",
          event.wait.needsAnswer === true ? 1 : undefined,
        );
      else continue;
      return true;
    }
    return false;
  }

  vote(step: number, by: string, verdict: "approve" | "reject" | "changes", answer?: Json): void {
    const name = step < stepCount(this.state) ? stepName(this.state, step) : "nobody";
    const answered = answer === undefined ? {} : { answer: inlineValue(answer) };
    this.bring({ kind: "voted", step: name, id: `v${this.turns.length}`, by, verdict, ...answered });
  }
}

export function pickEntry<Key, Item>(
  entries: Iterable<readonly [Key, Item]>,
  choices: Choices,
): readonly [Key | undefined, Item | undefined] {
  const all = [...entries];
  return all.length === 0 ? [undefined, undefined] : choices.of(all);
}

/** An output that depends only on its step, and not on the time of its end. */
export function plainOutcome(step: number): Outcome {
  return { kind: "succeeded", output: inlineValue({ value: step }) };
}

const CHILD: StepDefinition = { id: stepId("d0"), action: { kind: "run", script: "work" } };

/** Steps that an attempt returns, some of them invalid. */
export function expansions(isInMap: boolean): readonly (Outcome & { readonly kind: "expanded" })[] {
  const after: StepDefinition = {
    id: stepId("d1"),
    action: { kind: "run", script: "work" },
    dependsOn: [{ step: stepId("d0"), on: "settled" }],
    input: { before: "${ steps.d0.output }", all: "${ steps }", ...(isInMap ? { item: "${ item }" } : {}) },
    retry: { attempts: 2, base: durationMs(1) },
    compensate: { action: { kind: "run", script: "undo" } },
  };
  const wrong: StepDefinition = { ...CHILD, dependsOn: [{ step: stepId("nowhere"), on: "succeeded" }] };
  const spare: StepDefinition = { ...CHILD, id: stepId("d2"), fallback: stepId("d0") };
  return [
    { kind: "expanded", steps: [CHILD] },
    { kind: "expanded", steps: [CHILD, after], result: "d1" },
    { kind: "expanded", steps: [spare, CHILD] },
    { kind: "expanded", steps: [] },
    { kind: "expanded", steps: [wrong] },
    { kind: "expanded", steps: [CHILD], result: "nowhere" },
  ];
}
