// Reads one step from the journal in detail: its input and output, its attempts, its recorded calls, its log.
//   I1. Values are as they were recorded: masked, and without secrets. A value that was removed says so (DATA-11).
//   I2. The events are read once, up to the state that is shown.

import type { ExecutionHandle } from "@segno/engine";
import {
  executionId,
  isJsonObject,
  type CallSnapshot,
  type ContentHash,
  type Event,
  type Json,
  type StepArtifact,
  type Value,
} from "@segno/kernel";

import type { FollowedExecution } from "./followed-execution.ts";
import { loadWithProgress } from "./load-execution.ts";
import { scopeSummary, type ScopeSummary } from "./scope-summary.ts";
import type { ShownStep } from "./shown-step.ts";
import {
  missingKind,
  storedHash,
  toShownValue,
  withHiddenSecrets,
  type MissingKind,
  type ShownValue,
} from "./shown-value.ts";
import { expansionValue, lastCall, lastExpansion, listAttempts, type ShownAttempt } from "./step-attempts.ts";
import type { InspectedEngine } from "../remote/inspected-engine.ts";

type WaitingReason = Awaited<ReturnType<InspectedEngine["why"]>>[number];
type StoredLogLine = ReturnType<InspectedEngine["logs"]> extends AsyncGenerator<infer Line> ? Line : never;

export interface ShownCall extends Omit<CallSnapshot, "value"> {
  readonly value: ShownValue | undefined;
}

export interface LogTail {
  readonly lines: readonly StoredLogLine[];
  /** The number of all lines. */
  readonly total: number;
}

export interface StepInspection {
  readonly step: ShownStep;
  readonly label: string | undefined;
  readonly input: ShownValue | undefined;
  /** The input is that of the workflow around the step. */
  readonly isInputAround: boolean;
  /** The other rendered parts of the action: arguments, environment, a request. */
  readonly action: ShownValue | undefined;
  readonly output: ShownValue | undefined;
  /** The name of the fallback that made the output. */
  readonly outputOf?: string;
  readonly attempts: readonly ShownAttempt[];
  readonly calls: readonly ShownCall[];
  /** The files that it has kept. */
  readonly artifacts: readonly StepArtifact[];
  /** The reasons why the step waits, or why it did not run. */
  readonly reasons: readonly WaitingReason[];
  readonly inside: ScopeSummary | undefined;
  readonly log: LogTail;
}

/** The steps that failed: the first of them in detail, and the number of all. */
export interface FailedSteps {
  readonly inspections: readonly StepInspection[];
  readonly total: number;
}

const FAILED_MAX = 20;
const LOG_LINES_MAX = 10;
/** These say by their attempts and their failure how they stand. */
const WITHOUT_REASON: ReadonlySet<string> = new Set(["running", "succeeded", "failed"]);

/** Reads steps of one execution. */
export class StepInspector {
  readonly execution: FollowedExecution;
  readonly #engine: InspectedEngine;
  readonly #handle: ExecutionHandle;
  readonly #events: readonly Event[];
  readonly #missing: MissingKind;

  private constructor(
    engine: InspectedEngine,
    handle: ExecutionHandle,
    execution: FollowedExecution,
    read: { readonly events: readonly Event[]; readonly missing: MissingKind },
  ) {
    this.execution = execution;
    this.#engine = engine;
    this.#handle = handle;
    this.#events = read.events;
    this.#missing = read.missing;
  }

  static async open(engine: InspectedEngine, handle: ExecutionHandle): Promise<StepInspector> {
    const { seq, payloadsRemovedAt } = await handle.status();
    const execution = await loadWithProgress(engine, handle.id, seq);
    const missing = payloadsRemovedAt === undefined ? "lost" : "removed";
    return new StepInspector(engine, handle, execution, { events: await readEvents(handle, seq), missing });
  }

  async inspect(step: ShownStep): Promise<StepInspection> {
    const attempts = listAttempts(this.#events, step.index);
    const expansion = lastExpansion(this.#events, step.index);
    const items = expansion?.kind === "items" ? expansion.count : undefined;
    const outputOf = this.execution.fallbackOf(step.index);
    return {
      step,
      label: this.execution.labelOf(step.index),
      ...(await this.#readInput(step, attempts.length > 0)),
      output: await this.#readOutput(step),
      ...(outputOf === undefined ? {} : { outputOf }),
      attempts,
      calls: await this.#readCalls(step),
      artifacts: this.#artifacts(step),
      reasons: await this.#readReasons(step),
      inside: scopeSummary(this.execution, step.index, items),
      log: await this.#readLog(step),
    };
  }

  /** The files of the last success, which later rounds keep. */
  #artifacts({ index, name }: ShownStep): readonly StepArtifact[] {
    const event = this.#events.findLast((each) => each.kind === "step.completed" && each.step === index);
    const artifacts = event?.kind === "step.completed" ? (event.artifacts ?? []) : [];
    return artifacts.map((artifact) => ({ step: name, ...artifact }));
  }

  /** In the order of the table. */
  async inspectFailed(): Promise<FailedSteps> {
    const failed = this.execution.steps.filter(({ status }) => status === "failed");
    const inspections: StepInspection[] = [];
    for (const step of failed.slice(0, FAILED_MAX)) inspections.push(await this.inspect(step));
    return { inspections, total: failed.length };
  }

  async #readInput(
    { index }: ShownStep,
    hasRun: boolean,
  ): Promise<Pick<StepInspection, "input" | "isInputAround" | "action">> {
    const opened = expansionValue(lastExpansion(this.#events, index));
    if (opened !== undefined) return { input: await this.#readValue(opened), isInputAround: false, action: undefined };
    const call = lastCall(this.#events, index);
    const shown = await this.#readValue(call?.call);
    if (shown !== undefined && shown.kind !== "value") return { input: shown, isInputAround: false, action: undefined };
    const rendered = shown === undefined ? {} : withHiddenSecrets(shown.json, call?.secrets ?? []);
    const { input, ...action } = isJsonObject(rendered) ? rendered : {};
    const around = hasRun && input === undefined ? await this.#readValue(this.execution.inputAround(index)) : undefined;
    return {
      input: input === undefined ? around : { kind: "value", json: input },
      isInputAround: input === undefined,
      action: Object.keys(action).length === 0 ? undefined : { kind: "value", json: action as Json },
    };
  }

  async #readOutput({ name, status }: ShownStep): Promise<ShownValue | undefined> {
    if (status !== "succeeded" && status !== "failed") return undefined;
    try {
      const json = await this.#handle.output(name);
      return json === undefined ? undefined : { kind: "value", json };
    } catch (error) {
      return { kind: missingKind(error) };
    }
  }

  async #readCalls({ calls = [] }: ShownStep): Promise<readonly ShownCall[]> {
    const loaded = await this.#load(calls.flatMap(({ value }) => storedHash(value)));
    return calls.map(({ value, ...call }) => ({ ...call, value: toShownValue(value, loaded, this.#missing) }));
  }

  async #readReasons({ name, status }: ShownStep): Promise<readonly WaitingReason[]> {
    if (WITHOUT_REASON.has(status)) return [];
    return (await this.#engine.why(this.#handle.id, name)).filter(
      ({ step, reason }) => step === name || reason.kind !== "ended",
    );
  }

  async #readLog({ name }: ShownStep): Promise<LogTail> {
    const lines: StoredLogLine[] = [];
    let total = 0;
    for await (const line of this.#engine.logs(this.#handle.id, { step: name })) {
      total++;
      lines.push(line);
      if (lines.length > LOG_LINES_MAX) lines.shift();
    }
    return { lines, total };
  }

  async #readValue(value: Value | undefined): Promise<ShownValue | undefined> {
    if (value === undefined) return undefined;
    return toShownValue(value, await this.#load(storedHash(value)), this.#missing);
  }

  async #load(hashes: readonly ContentHash[]): Promise<ReadonlyMap<ContentHash, Json>> {
    if (hashes.length === 0) return new Map();
    return this.#engine.extensions.readValues(executionId(this.#handle.id), hashes);
  }
}

/** The events of an execution that has not ended would go on. */
async function readEvents(handle: ExecutionHandle, upTo: number): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const { event, seq } of handle.events()) {
    events.push(event);
    if (seq >= upTo) break;
  }
  return events;
}
