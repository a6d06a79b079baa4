// Attempts and waits of the reference model: a step begins, is granted its resources, runs, ends, and is retried
// (STATE-4, FAIL-2 to FAIL-4).

import type { Definition, Json, StepDefinition } from "@segno/kernel";
import type { Act } from "../act.ts";
import type { ModelExecution } from "./model-execution.ts";
import { fillFrame, Frame, type ModelRun, type ModelStep } from "./model-step.ts";

/** The input of an attempt, if the model knows it. */
export interface ModelCall {
  readonly atMs: number;
  readonly step: string;
  readonly attempt: number;
  /** Undefined if it depends on an output that the model does not know. */
  readonly input: Json | undefined;
}

const EXPANSION = [
  { id: "e0", action: { kind: "agent", agent: "worker1" } },
  { id: "e1", action: { kind: "agent", agent: "worker0" }, dependsOn: [{ step: "e0", on: "succeeded" }] },
] as unknown as readonly StepDefinition[];

export class ModelAttempts {
  readonly calls: ModelCall[] = [];
  readonly #execution: ModelExecution;

  constructor(execution: ModelExecution) {
    this.#execution = execution;
  }

  /** Begins a step whose dependencies are met. */
  begin(step: ModelStep): void {
    const execution = this.#execution;
    const { definition } = step;
    if (step.phase !== "waiting" || step.unmet > 0 || step.isAsked || !execution.mayStart(step)) return;
    if (definition.when !== undefined && !holds(step, definition.when)) return execution.skip(step, "condition", true);
    const { action } = definition;
    switch (action.kind) {
      case "barrier":
        step.output = null;
        return execution.complete(step);
      case "map":
        return this.#openMap(step);
      case "workflow":
        step.isAsked = true;
        return execution.world.later(execution, () => this.#openCall(step, execution.world.workflow(action.workflow)));
      case "wait":
      case "approve":
        return execution.messages.suspend(step);
      default:
        return this.#ask(step);
    }
  }

  #ask(step: ModelStep): void {
    step.isAsked = true;
    this.#execution.world.admission.request(this.#execution, step);
  }

  /** Starts granted steps; false if there are none. Requests are granted when nothing else is left to do. */
  startGranted(): boolean {
    const execution = this.#execution;
    if (execution.granted.length === 0) execution.world.admission.look();
    const step = execution.granted.shift();
    if (step === undefined) return false;
    if (step.isAsked && execution.mayStart(step)) this.#start(step);
    else execution.world.admission.release(execution, step, false);
    return true;
  }

  #start(step: ModelStep): void {
    const { world } = this.#execution;
    const { timeout } = step.definition;
    const deadlineMs = timeout === undefined ? undefined : world.nowMs + timeout;
    const run: ModelRun = { startedAtMs: world.nowMs, deadlineMs, isAborted: false, isSettled: false };
    Object.assign(step, { phase: "running", isAsked: false, run, attempts: step.attempts + 1 });
    this.#execution.fact(`attempt ${step.attempts} of ${step.name} until ${deadlineMs ?? "-"}`);
    this.calls.push({ atMs: world.nowMs, step: step.name, attempt: step.attempts, input: this.#inputOf(step) });
    const act = world.act(this.#execution, step, step.attempts);
    world.at(world.nowMs + act.afterMs, this.#execution, () => this.#endByItself(step, run, act));
    if (deadlineMs !== undefined) world.at(deadlineMs, this.#execution, () => this.#timeOut(step, run));
  }

  #endByItself(step: ModelStep, run: ModelRun, act: Act): void {
    if (run.isSettled || (run.isAborted && act.onAbort !== "ignore")) return;
    this.#end(step, run, act.end, act);
  }

  /** Its function has returned or thrown; the result counts only if the attempt is the current one. */
  #end(step: ModelStep, run: ModelRun, end: Act["end"] | "stopped", act: Act): void {
    const execution = this.#execution;
    run.isSettled = true;
    if (step.run !== run) return execution.world.admission.settled(step);
    if (step.phase === "cancelling") return this.#endStopping(step, end === "succeed");
    this.#conclude(step, end, act);
    step.run = undefined;
    execution.world.admission.release(execution, step, false);
  }

  #conclude(step: ModelStep, end: Act["end"] | "stopped", act: Act): void {
    const execution = this.#execution;
    switch (end) {
      case "succeed":
        step.output = `${step.name}#${step.attempts}`;
        return execution.complete(step);
      case "skip":
        return execution.skip(step, "skipped-by-handler", true);
      case "expand":
        return this.#expand(step);
      case "permanent":
        return execution.fail(step, "permanent");
      case "wait":
        return this.#failAttempt(step, "transient", act.retryAfterMs);
      case "transient":
      case "stopped":
        return this.#failAttempt(step, "transient", undefined);
    }
  }

  #endStopping(step: ModelStep, hasValue: boolean): void {
    const execution = this.#execution;
    step.run = undefined;
    if (step.overdue === undefined) this.#endWithinGrace(step, hasValue);
    else this.endOverdue(step);
    execution.world.admission.release(execution, step, false);
  }

  #endWithinGrace(step: ModelStep, hasValue: boolean): void {
    step.output = `${step.name}#${step.attempts}`;
    if (hasValue) this.#execution.complete(step);
    else this.#execution.stops.cancelled(step, "itself");
  }

  /** FAIL-3. */
  #failAttempt(step: ModelStep, kind: "transient" | "timeout", retryAfterMs: number | undefined): void {
    const execution = this.#execution;
    const { attempts = 3, base = 1000, factor = 2, max = 30_000, on = ["transient"] } = step.definition.retry ?? {};
    if (step.attempts >= attempts || !on.includes(kind) || !execution.mayRun(step)) return execution.fail(step, kind);
    const delay = retryAfterMs ?? Math.min(base * factor ** (step.attempts - 1), max);
    const dueAtMs = execution.world.nowMs + delay;
    Object.assign(step, { phase: "retrying", dueAtMs });
    execution.fact(`retried ${step.name} ${kind} until ${dueAtMs}`);
    execution.world.at(dueAtMs, execution, () => this.backoffOver(step));
  }

  backoffOver(step: ModelStep): void {
    const { world } = this.#execution;
    if (step.phase !== "retrying" || step.isAsked || world.nowMs < step.dueAtMs!) return;
    if (this.#execution.mayStart(step)) this.#ask(step);
  }

  /** FAIL-4: the attempt is told to stop and has its grace; whatever its result, it has timed out. */
  #timeOut(step: ModelStep, run: ModelRun): void {
    const execution = this.#execution;
    if (step.run !== run || step.phase !== "running") return;
    if (execution.stops.graceMs === 0) return this.#giveUp(step, run);
    const forceAtMs = execution.world.nowMs + execution.stops.graceMs;
    Object.assign(step, { phase: "cancelling", overdue: "retriable", forceAtMs });
    execution.fact(`overdue ${step.name} until ${forceAtMs}`);
    execution.world.later(execution, () => this.abort(step, run));
    execution.world.at(forceAtMs, execution, () => execution.stops.force(step, run));
  }

  #giveUp(step: ModelStep, run: ModelRun): void {
    const execution = this.#execution;
    step.run = undefined;
    this.#failAttempt(step, "timeout", undefined);
    execution.world.admission.release(execution, step, true);
    execution.world.later(execution, () => this.abort(step, run));
  }

  /** The attempt has stopped, or was ended by force. */
  endOverdue(step: ModelStep): void {
    const isFinal = step.overdue === "final";
    step.overdue = undefined;
    if (isFinal) this.#execution.fail(step, "timeout");
    else this.#failAttempt(step, "timeout", undefined);
  }

  /** Aborts its signal. */
  abort(step: ModelStep, run: ModelRun): void {
    if (run.isSettled || run.isAborted) return;
    run.isAborted = true;
    const { world } = this.#execution;
    const act = world.act(this.#execution, step, step.attempts);
    if (act.onAbort === "ignore") return;
    const end = (): void => this.#end(step, run, act.onAbort === "return" ? "succeed" : "stopped", act);
    if (act.cleanUpMs === 0) world.later(this.#execution, end);
    else world.at(world.nowMs + act.cleanUpMs, this.#execution, end);
  }

  #openMap(step: ModelStep): void {
    const { action } = step.definition;
    if (action.kind !== "map" || typeof action.over !== "string") return;
    const count = (JSON.parse(action.over.slice(1, -1)) as unknown[]).length;
    const frame = new Frame("items", step.frame.workflow, step, count, action.concurrency);
    const isSingle = action.steps.length === 1;
    fillFrame(frame, action.steps, (id, item) => (isSingle ? `${step.name}/${item}` : `${step.name}/${item}/${id}`));
    this.#open(step, frame, step.definition.timeout);
  }

  #openCall(step: ModelStep, workflow: Definition): void {
    if (!step.isAsked || !this.#execution.mayStart(step)) return;
    const frame = new Frame("workflow", workflow, step);
    fillFrame(frame, workflow.steps, (id) => `${step.name}/${id}`);
    const bounds = [step.definition.timeout, workflow.timeout].filter((bound) => bound !== undefined);
    this.#open(step, frame, bounds.length === 0 ? undefined : Math.min(...bounds));
  }

  #expand(step: ModelStep): void {
    if (!this.#execution.mayRun(step)) return this.#execution.stops.cancelled(step, "itself");
    const frame = new Frame("steps", step.frame.workflow, step);
    fillFrame(frame, EXPANSION, (id) => `${step.name}/${id}`);
    this.#open(step, frame, undefined);
  }

  #open(step: ModelStep, frame: Frame, timeout: number | undefined): void {
    const { world } = this.#execution;
    const deadlineMs = timeout === undefined ? undefined : world.nowMs + timeout;
    Object.assign(step, { phase: "open", isAsked: false, inner: frame });
    this.#execution.fact(`opened ${step.name} ${frame.items} until ${deadlineMs ?? "-"}`);
    if (deadlineMs !== undefined)
      world.at(deadlineMs, this.#execution, () => this.#execution.stops.scopeTimeOver(step, frame));
    this.#execution.open(frame);
  }

  #inputOf(step: ModelStep): Json | undefined {
    const place = step.undoes ?? step;
    if (step.definition.input !== undefined) return readBy(step);
    for (let { frame } = place; ; frame = frame.parent!.frame) {
      if (frame.kind === "root") return this.#execution.input;
      if (frame.kind === "workflow") return frame.parent!.definition.input === undefined ? null : readBy(frame.parent!);
    }
  }
}

/** The input of a step is always `{ read: <output of its first dependency> }`. */
function readBy(step: ModelStep): Json | undefined {
  const seen = findDependency(step).seen;
  return seen === undefined ? undefined : { read: seen };
}

function findDependency({ frame, item, definition }: ModelStep): ModelStep {
  const [first] = definition.dependsOn!;
  return frame.steps.find((other) => other.item === item && other.definition.id === first!.step)!;
}

/** A condition is a constant, or tests whether the first dependency succeeded. */
function holds(step: ModelStep, condition: string): boolean {
  if (condition === "`true`") return true;
  return condition !== "`false`" && findDependency(step).phase === "succeeded";
}
