// Records the calls of one attempt in the journal of its execution (STATE-14).
//
//   AR1. A call is found again by its name as the handler wrote it, whatever the masker knew when it was recorded: the name
//        itself is the key, or a hash of it if the recorded name is masked.

import { createHash } from "node:crypto";
import { checkJson, inlineValue, type ContentHash, type EpochMs, type Json } from "@segno/kernel";
import { frozenCopy, type FrozenCopy } from "../checks/copy-json.ts";
import { UNREADABLE_VALUE, valueFailure } from "../checks/value-failure.ts";
import { CallError, type CallRecorder } from "../runners/recorded-calls.ts";
import type { StepAttempt } from "./step-attempt.ts";

/** The dispatcher, as recorders use it. */
export interface RecorderPorts {
  readonly callsMax: number;
  now(): EpochMs;
  after(ms: number, call: () => void): () => void;
  maskJson(json: Json): Json;
  /** Loads a stored value of the execution into memory. */
  load(attempt: StepAttempt, hash: ContentHash): Promise<void>;
}

export class AttemptRecorder implements CallRecorder {
  readonly #attempt: StepAttempt;
  readonly #ports: RecorderPorts;

  constructor(attempt: StepAttempt, ports: RecorderPorts) {
    this.#attempt = attempt;
    this.#ports = ports;
  }

  get callsMax(): number {
    return this.#ports.callsMax;
  }

  now(): EpochMs {
    return this.#ports.now();
  }

  after(ms: number, call: () => void): () => void {
    return this.#ports.after(ms, call);
  }

  find(name: string): Promise<Json> | undefined {
    const { liveExecution, stepIndex } = this.#attempt;
    const calls = liveExecution.state.recordedCalls.get(stepIndex);
    const recorded = calls?.get(name) ?? calls?.get(this.#keyOf(name));
    if (recorded === undefined) return undefined;
    const { value } = recorded;
    return value.kind === "stored"
      ? this.#load(value.hash)
      : Promise.resolve(value.kind === "inline" ? value.json : null);
  }

  async #load(hash: ContentHash): Promise<Json> {
    await this.#ports.load(this.#attempt, hash);
    const value = this.#attempt.liveExecution.values.value(hash);
    // Loading ends without a value when the engine lets go of the execution.
    if (value === undefined)
      throw new CallError("ATTEMPT_NOT_RUNNING", "the attempt ended before the value of its recorded call was read");
    return value;
  }

  /** The key of a call whose name is masked. `#` is not part of a name, so no name is a key. */
  #keyOf(name: string): string {
    const text = JSON.stringify([this.#attempt.step, name]);
    return `#${createHash("sha256").update(text).digest("hex")}`;
  }

  async record(given: string, startedAt: EpochMs, result: unknown): Promise<Json> {
    const { liveExecution, stepIndex: step, epoch } = this.#attempt;
    const name = this.#attempt.maskText(given);
    const key = name === given ? undefined : this.#keyOf(given);
    const value = inlineValue(this.#recordable(name, result));
    const at = this.now();
    const reply = await liveExecution.post({ kind: "recorded", at, step, epoch, name, key, startedAt, value });
    if (reply.kind === "ignored")
      throw new CallError("ATTEMPT_NOT_RUNNING", `the attempt ended before its call \`${name}\``);
    return value.json;
  }

  #recordable(name: string, given: unknown): Json {
    const copy = copyOf(given);
    if (copy.kind === "copied") return this.#ports.maskJson(copy.json);
    const failure = valueFailure(`the value of the call \`${name}\``, copy, (text) => this.#attempt.maskText(text));
    throw new CallError(failure.code, failure.message);
  }
}

function copyOf(given: unknown): FrozenCopy {
  try {
    return frozenCopy(checkJson(given ?? null));
  } catch {
    return UNREADABLE_VALUE;
  }
}
