// Replies to the recorded calls of an attempt on a worker thread (STATE-14). The thread makes the calls; the main thread
// finds and records their values.
//
//   CR1. Messages are data of user code (MG4). A value is recorded once, under the name with which its call began, and an
//        attempt begins at most as many calls as on the main thread.

import { VALUE_BYTES_MAX, type EpochMs, type TextFilter } from "@segno/kernel";
import { WHOLE } from "../../checks/copy-json.ts";
import { UNREADABLE_VALUE, valueFailure, type ValueRefusal } from "../../checks/value-failure.ts";
import { CallError, callsLimitError, checkRecordedName, type CallRecorder } from "../recorded-calls.ts";
import type { CallReply, CallValue, ThreadCall } from "./thread-message.ts";
import { serializeThrown } from "./thrown.ts";

/** A call that has begun and has not returned. */
interface OpenCall {
  readonly name: string;
  readonly startedAt: EpochMs;
}

const NOT_RECORDED: CallReply = Object.freeze({ kind: "not-recorded" });

export class CallReplies {
  readonly #recorder: CallRecorder | undefined;
  readonly #maskText: TextFilter;
  readonly #open = new Map<number, OpenCall>();
  #total = 0;

  constructor(recorder: CallRecorder | undefined, maskText: TextFilter) {
    this.#recorder = recorder;
    this.#maskText = maskText;
  }

  async reply(call: ThreadCall): Promise<CallReply> {
    try {
      if (this.#recorder === undefined) throw new CallError("CALL_INVALID", "this attempt cannot make recorded calls");
      if (call.kind === "call-find") return await this.#find(this.#recorder, call.id, call.name);
      return await this.#record(this.#recorder, call.id, call.value);
    } catch (error) {
      return { kind: "threw", error: serializeThrown(error) };
    }
  }

  async #find(recorder: CallRecorder, id: number, name: string): Promise<CallReply> {
    checkRecordedName(name);
    if (++this.#total > recorder.callsMax) throw callsLimitError(recorder.callsMax);
    const value = await recorder.find(name);
    if (value !== undefined) return { kind: "value", value };
    this.#open.set(id, { name, startedAt: recorder.now() });
    return NOT_RECORDED;
  }

  async #record(recorder: CallRecorder, id: number, value: CallValue): Promise<CallReply> {
    const call = this.#open.get(id);
    if (call === undefined) throw new CallError("CALL_INVALID", "the thread recorded a call that it had not begun");
    this.#open.delete(id);
    return { kind: "value", value: await recorder.record(call.name, call.startedAt, this.#parse(call.name, value)) };
  }

  /** The agent may have replaced `JSON.stringify` on its thread, so the text can be anything. */
  #parse(name: string, value: CallValue): unknown {
    if (value.kind === "refused")
      throw this.#refusal(name, value.reason.kind === "unreadable" ? UNREADABLE_VALUE : value.reason);
    const { text } = value;
    if (text.length > VALUE_BYTES_MAX) throw this.#refusal(name, { kind: "too-large", bytes: Buffer.byteLength(text) });
    try {
      return JSON.parse(text);
    } catch {
      throw this.#refusal(name, { kind: "not-json", path: WHOLE, found: "a text that cannot be parsed" });
    }
  }

  #refusal(name: string, refusal: ValueRefusal): CallError {
    const subject = `the value of the call \`${this.#maskText(name)}\``;
    const { code, message } = valueFailure(subject, refusal, this.#maskText);
    return new CallError(code, message);
  }
}
