// The context that a main-thread agent gets for one attempt. Every attempt has one, so each part is made when the agent
// reads it.
//
//   AC1. The agent may start processes that the attempt owns until it has returned, was force-stopped or has failed by an
//        uncaught error. The processes of an aborted attempt get SIGTERM when the signal has fired.

import type { EpochMs, IterationData, Json } from "@segno/kernel";
import { checkProgress, type ReportProgress } from "../agents/progress.ts";
import { streamBytes, type StreamWriter } from "../agents/stream-writer.ts";
import type { RunCall } from "../agents/recorded-call.ts";
import type { ExecutionInfo, HandlerContext, ReceivedArtifacts, StepInfo } from "../agents/step-context.ts";
import type { StepLogger } from "../events/logger.ts";
import { ProcessSet } from "./process/process-set.ts";
import { attemptEndedError, CallError, RecordedCalls } from "./recorded-calls.ts";
import type { Attempt } from "./runner.ts";

/** An attempt that may start processes, and the processes that it has started. */
export interface ProcessOwner {
  readonly attempt: Attempt;
  readonly processes: ProcessSet;
}

export class AttemptContext implements HandlerContext<Readonly<Record<string, Json>>> {
  readonly #attempt: Attempt;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;
  /** Undefined until the agent starts a process. */
  #processes: ProcessSet | undefined;
  /** It has returned, was force-stopped or has failed by an uncaught error. */
  #hasEnded = false;
  /** Undefined until the handler reads `run`. */
  #calls: RecordedCalls | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get input(): Json {
    return this.#attempt.input();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  get outputs(): Readonly<Record<string, Json>> {
    return this.#attempt.dependencyOutputs();
  }

  /** Only for the steps of a repetition (STATE-13). */
  get iteration(): IterationData | undefined {
    return this.#attempt.iteration();
  }

  /** Bound, because a handler takes it out of its context. */
  get run(): RunCall {
    const recorder = this.#attempt.recorder();
    if (recorder === undefined) throw new CallError("CALL_INVALID", "this attempt cannot make recorded calls");
    this.#calls ??= new RecordedCalls(
      recorder,
      () => this.signal,
      () => this.#assertRunning(),
    );
    const calls = this.#calls;
    return (name, work, options) => calls.run(name, work, options);
  }

  get execution(): ExecutionInfo {
    return this.#attempt.executionInfo();
  }

  get step(): StepInfo {
    return this.#attempt.stepInfo();
  }

  get attempt(): number {
    return this.#attempt.attempt;
  }

  get deadline(): EpochMs | undefined {
    return this.#attempt.deadline;
  }

  get log(): StepLogger {
    return this.#attempt.logger();
  }

  get token(): string {
    return this.#attempt.token();
  }

  get traceparent(): string {
    return this.#attempt.traceparent();
  }

  get secrets(): Readonly<Record<string, string>> {
    return this.#attempt.secrets;
  }

  get resources(): Readonly<Record<string, number>> {
    return this.#attempt.resources;
  }

  get artifacts(): ReceivedArtifacts {
    return this.#attempt.artifacts;
  }

  get heartbeat(): () => void {
    return () => {
      this.throwIfAborted();
      this.#attempt.recordHeartbeat();
    };
  }

  get progress(): ReportProgress {
    return (given) => this.#attempt.reportProgress(checkProgress(given));
  }

  get stream(): StreamWriter {
    return (text) => this.#attempt.writeStream("stdout", streamBytes(text));
  }

  #assertRunning(): void {
    this.throwIfAborted();
    if (!this.#hasEnded) return;
    throw attemptEndedError();
  }

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  throwIfAborted(): void {
    if (this.#abortReason !== undefined) throw this.#abortReason;
  }

  abort(reason: string): void {
    this.#abortReason ??= new DOMException(reason, "AbortError");
    this.#controller?.abort(this.#abortReason);
    this.#processes?.askToStop();
  }

  /** The engine needs this to start a process for the agent. Undefined if the attempt may no longer start any (AC1). */
  processOwner(): ProcessOwner | undefined {
    if (this.#hasEnded) return undefined;
    return { attempt: this.#attempt, processes: (this.#processes ??= new ProcessSet()) };
  }

  /** The attempt has ended: it may start no more processes (AC1) and makes no more recorded calls. Returns those that run; undefined if there are none. */
  forbidProcesses(): ProcessSet | undefined {
    this.#hasEnded = true;
    return this.runningProcesses;
  }

  get runningProcesses(): ProcessSet | undefined {
    return this.#processes?.isRunning === true ? this.#processes : undefined;
  }

  /** The agent has returned, and nothing reads the output of its processes any more. */
  closePipes(): void {
    this.#processes?.closePipes();
  }
}
