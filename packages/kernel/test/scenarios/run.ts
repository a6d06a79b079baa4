// A run: one execution of the kernel, driven by happenings. Beyond the claims of a test, these are checked after each happening:
//
//   1. Folding the journal, read back from JSON, gives the live state (JOURNAL-2); it has no gaps (JOURNAL-4).
//   2. A recovered execution has nothing to decide, requests the same slots and waits for the same times.
//   3. A twin that is driven event by event writes the same journal (STATE-11), and shows every transition, derived ones too;
//      one that is not in the table fails the scenario (STATE-2).

import { expect } from "vitest";

import { advance, applyAgenda } from "../../src/rules/advance.ts";
import { ContextMaker } from "../../src/rules/context.ts";
import { decide, hasWork } from "../../src/rules/decide.ts";
import type { Reply } from "../../src/rules/decision.ts";
import type { Effect, RunEffect } from "../../src/rules/effect.ts";
import { fold, foldAll } from "../../src/state/fold.ts";
import type { Happening, Outcome, Timer } from "../../src/rules/happening.ts";
import { stepName } from "../../src/state/names.ts";
import { toSnapshot, stepSnapshot, type StepDetail } from "../../src/views/snapshot.ts";
import { createState, executionStatus, stepCount, type Library, type State } from "../../src/state/state.ts";
import { stepStatus } from "../../src/state/step-status.ts";
import { listTimers } from "../../src/rules/timers.ts";
import { EXECUTION_TRANSITIONS, STEP_TRANSITIONS } from "../../src/state/transitions.ts";
import type { StoredValues } from "../../src/rules/stored-values.ts";
import type { Event } from "../../src/journal/event.ts";
import { readEvent } from "../../src/journal/read-event.ts";
import type { Definition, JsonSchema } from "../../src/model/definition.ts";
import { isJsonObject, type Json } from "../../src/model/json.ts";
import { contentHash, epochMs, type ContentHash, type StepIndex } from "../../src/model/units.ts";
import { compileOrThrow } from "../../src/program/compile.ts";
import type { Program } from "../../src/program/program.ts";
import type { StepExtras } from "./table.ts";

export interface Extras {
  readonly workflow?: Partial<Omit<Definition, "steps">>;
  readonly steps?: StepExtras;
  /** Sub-workflows by name; the name is their hash too. */
  readonly library?: Readonly<Record<string, Definition>>;
  /** The result of `ended a expand <name>`. */
  readonly expansions?: Readonly<Record<string, Outcome & { readonly kind: "expanded" }>>;
  /** Stored values that `load <hash>` loads. */
  readonly values?: Readonly<Record<string, Json>>;
}

/** Every transition that a scenario of this process made, as `from event to`. */
export const exercised: Set<string> = new Set();

const TABLE: ReadonlySet<string> = new Set(
  [...STEP_TRANSITIONS, ...EXECUTION_TRANSITIONS].map(({ from, on, to }) => `${from} ${on} ${to}`),
);

/** A happening without its time, which the run knows. */
export type Timeless = Happening extends infer Each ? (Each extends Happening ? Omit<Each, "at"> : never) : never;

export class Run {
  readonly state: State;
  readonly journal: Event[] = [];
  readonly armed: Map<string, { readonly timer: Timer; readonly dueAt: number }> = new Map();
  readonly calls: Map<number, Json> = new Map();
  readonly extras: Extras;
  /** The result of the last row. */
  events: Event[] = [];
  effects: Effect[] = [];
  answer: Reply = { kind: "accepted" };
  needs: readonly ContentHash[] = [];
  now = 1_000_000;
  readonly #program: Program;
  readonly #library: Library;
  readonly #twin: State;
  readonly #loaded = new Map<string, Json>();
  #pending: Timeless | undefined;
  #isDamaged = false;
  readonly values: StoredValues = { value: (hash) => this.#loaded.get(hash), checkSchema };

  constructor(definition: Definition, extras: Extras = {}) {
    this.extras = extras;
    this.#program = compileOrThrow(definition);
    this.#library = new Map(
      Object.entries(extras.library ?? {}).map(([name, each]) => [contentHash(name), compileOrThrow(each)]),
    );
    this.state = createState(this.#program, this.#library);
    this.#twin = createState(this.#program, this.#library);
  }

  /** Clears the result of the row before. */
  clear(): void {
    [this.events, this.effects, this.answer] = [[], [], { kind: "accepted" }];
  }

  take(timeless: Timeless): void {
    const happening = { ...timeless, at: epochMs(this.now) } as Happening;
    const { events, effects, reply, missingValues, isHappeningConsumed } = advance(this.state, happening, this.values);
    this.journal.push(...events);
    this.events.push(...events);
    this.effects.push(...effects);
    this.answer = reply;
    this.needs = missingValues;
    this.#pending = isHappeningConsumed ? (missingValues.length > 0 ? { kind: "proceed" } : undefined) : timeless;
    for (const effect of effects) this.#carryOut(effect);
    expect(JSON.stringify(this.#followTwin(happening))).toBe(JSON.stringify(events));
    if (this.#pending === undefined && !this.#isDamaged) this.#checkRecovery();
  }

  load(hash: string): void {
    this.#loaded.set(hash, this.extras.values![hash]!);
    if (this.#pending !== undefined) this.take(this.#pending);
  }

  /** Changes the state without an event, as a bug would; from then on the execution cannot be recovered. */
  damage(change: (state: State) => void): void {
    this.#isDamaged = true;
    for (const state of [this.state, this.#twin]) change(state);
  }

  /** Lets time pass, and delivers due timers in their order. */
  later(ms: number): void {
    const until = this.now + ms;
    for (let fired = 0; ; fired++) {
      if (fired > 1000) throw new Error("timers come due without end");
      const [next] = [...this.armed]
        .filter(([, { dueAt }]) => dueAt <= until)
        .toSorted((a, b) => a[1].dueAt - b[1].dueAt);
      if (next === undefined) break;
      this.armed.delete(next[0]);
      this.now = Math.max(this.now, next[1].dueAt);
      this.take({ kind: "due", timer: next[1].timer });
    }
    this.now = until;
  }

  step(name: string): StepIndex {
    for (let step = stepCount(this.state) - 1; step >= 0; step--)
      if (stepName(this.state, step) === name) return step as StepIndex;
    throw new Error(`there is no step \`${name}\``);
  }

  epoch(name: string): number {
    return this.state.columns.epoch[this.step(name)]!;
  }

  status(name: string): string {
    return name === "execution" ? executionStatus(this.state) : stepStatus(this.state, this.step(name));
  }

  detail(name: string): StepDetail {
    return stepSnapshot(this.state, this.step(name)).detail;
  }

  /** The output that dependants read under a step's id. */
  output(name: string): Json {
    return new ContextMaker(this.state, this.values).stepOutput(this.step(name));
  }

  #carryOut(effect: Effect): void {
    if (effect.kind === "arm") this.armed.set(JSON.stringify(effect.timer), effect);
    if (effect.kind === "disarm" && effect.timer !== undefined) this.armed.delete(JSON.stringify(effect.timer));
    if (effect.kind === "run") this.#run(effect);
    if (effect.kind === "release") this.#forgetDeadline(effect.step);
  }

  #run({ step, epoch, call, deadline }: RunEffect): void {
    this.calls.set(step, call?.kind === "inline" ? call.json : null);
    const timer: Timer = { kind: "attempt-deadline", step, epoch };
    if (deadline !== undefined) this.armed.set(JSON.stringify(timer), { timer, dueAt: deadline });
  }

  #forgetDeadline(step: number): void {
    for (const [key, { timer }] of this.armed)
      if (timer.kind === "attempt-deadline" && timer.step === step) this.armed.delete(key);
  }

  #checkRecovery(): void {
    this.journal.forEach(({ seq }, index) => expect(seq).toBe(index + 1));
    const rows = this.journal.map((event) => readEvent(JSON.parse(JSON.stringify(event)) as Json));
    const recovered = createState(this.#program, this.#library);
    foldAll(
      recovered,
      rows.map((row) => (row.kind === "event" ? row.event : expect.fail(row.message))),
    );
    expect(toSnapshot(recovered)).toEqual(toSnapshot(this.state));
    const at = epochMs(this.now);
    expect(advance(recovered, { kind: "proceed", at }, this.values).events).toEqual([]);
    for (const { timer, dueAt } of listTimers(recovered)) {
      const armed = this.armed.get(JSON.stringify(timer));
      if (armed !== undefined) expect(armed.dueAt, `${timer.kind} is armed`).toBe(dueAt);
      else
        expect(advance(recovered, { kind: "due", timer, at }, this.values).events, `${timer.kind} is spent`).toEqual(
          [],
        );
      if (armed === undefined) expect(dueAt, `${timer.kind} is armed`).toBeLessThanOrEqual(this.now);
    }
    expect(recovered.columns.queued).toEqual(this.state.columns.queued);
  }

  #followTwin(happening: Happening): readonly Event[] {
    const twin = this.#twin;
    const events: Event[] = [];
    let decision = decide(twin, happening, this.values);
    while (decision.kind === "decided") {
      for (const event of decision.events) {
        watch(twin, event.kind, () => fold(twin, event));
        events.push(event);
      }
      const decided = decision;
      watch(twin, undefined, () => applyAgenda(twin, decided));
      if (!hasWork(twin)) break;
      decision = decide(twin, { kind: "proceed", at: happening.at }, this.values);
    }
    return events;
  }
}

/** Records what an event, and its consequences, change in the execution and in every step. */
function watch(state: State, on: Event["kind"] | undefined, change: () => void): void {
  const statuses = Array.from({ length: stepCount(state) }, (_, step) => stepStatus(state, step));
  const [whole, last] = [executionStatus(state), [...state.phaseEvents]];
  change();
  if (on?.startsWith("execution.")) note(`${whole} ${on} ${executionStatus(state)}`);
  statuses.forEach((from, step) => {
    const to = stepStatus(state, step);
    const isOwn = state.phaseEvents[step] !== last[step];
    if (isOwn && on === "execution.reopened" && to === "ready") {
      note(`${from} ${on} waiting`);
      note("waiting dependencies met ready");
    } else if (isOwn && (from !== to || on === "steps.cancelling")) note(`${from} ${on} ${to}`);
    else if (from !== to) note(`${from} ${derivedCause(from, to)} ${to}`);
  });
}

function derivedCause(from: string, to: string): string {
  if (from === "queued") return "admission withdrawn";
  if (from === "retrying") return "backoff over";
  return to === "queued" ? "admission requested" : "dependencies met";
}

function note(transition: string): void {
  expect([...TABLE], "the table has this transition").toContain(transition);
  exercised.add(transition);
}

/** A schema language of one word: enough for the kernel, which only asks whether a value fits. */
function checkSchema(schema: JsonSchema, value: Json): ReturnType<StoredValues["checkSchema"]> {
  const wanted = isJsonObject(schema) ? schema["type"] : undefined;
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const fits = typeof schema === "boolean" ? schema : wanted === undefined || wanted === found;
  return fits ? [] : [{ path: "(document)", message: `expected ${JSON.stringify(wanted)}, found ${found}` }];
}
