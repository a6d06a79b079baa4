// The handle on an execution behind a server.

import { ApiError, type ApiVote, type SegnoClient } from "@segno/client";
import type {
  CancelOptions,
  CommandResult,
  ExecutionHandle,
  ExecutionReport,
  RetryOptions,
  VoteOptions,
  WatchEvent,
} from "@segno/engine";
import { SegnoError, type Json, type StepArtifact } from "@segno/kernel";

import { downloadArtifact } from "./download-artifact.ts";
import type { RemotePrograms } from "./remote-programs.ts";

export interface RemoteHandleParts {
  readonly client: SegnoClient;
  readonly programs: RemotePrograms;
  /** Aborts when the command ends. */
  readonly signal: AbortSignal;
}

export class RemoteHandle implements ExecutionHandle {
  readonly id: string;
  readonly #parts: RemoteHandleParts;

  constructor(id: string, parts: RemoteHandleParts) {
    this.id = id;
    this.#parts = parts;
  }

  get #client(): SegnoClient {
    return this.#parts.client;
  }

  async status(): Promise<ExecutionReport> {
    return this.#client.get(this.id);
  }

  async result(): Promise<Json> {
    for await (const _ of this.events());
    const { status, failure, reason } = await this.status();
    if (status === "completed") return this.#client.output(this.id);
    const code = status === "cancelled" ? "EXECUTION_CANCELLED" : "EXECUTION_FAILED";
    throw new SegnoError(code, failure?.message ?? reason ?? `the execution ${this.id} is ${status}`);
  }

  async output(step: string): Promise<Json | undefined> {
    try {
      return await this.#client.output(this.id, step);
    } catch (error) {
      if (error instanceof ApiError && error.code === "OUTPUT_MISSING") return undefined;
      throw error;
    }
  }

  artifacts(step?: string): Promise<readonly StepArtifact[]> {
    return this.#client.artifacts(this.id, step);
  }

  async copyArtifact(step: string, path: string, to: string): Promise<void> {
    const artifact = (await this.artifacts(step)).find((each) => each.step === step && each.path === path);
    if (artifact === undefined)
      throw new SegnoError("ARTIFACT_NOT_FOUND", `\`${step}\` of the execution ${this.id} has no artifact \`${path}\``);
    await downloadArtifact(await this.#client.artifact(this.id, step, path), artifact, to);
  }

  async *events(): AsyncGenerator<WatchEvent> {
    const { programs, signal } = this.#parts;
    for await (const event of this.#client.events(this.id, { signal })) {
      await programs.prepare(event.event);
      yield event as WatchEvent;
    }
  }

  cancel(options: CancelOptions = {}): Promise<CommandResult> {
    return this.#client.cancel(this.id, options);
  }

  pause(): Promise<CommandResult> {
    return this.#client.pause(this.id);
  }

  resume(): Promise<CommandResult> {
    return this.#client.resume(this.id);
  }

  retry(options: RetryOptions = {}): Promise<CommandResult> {
    return this.#client.retry(this.id, options);
  }

  signal(name: string, payload: Json = null, options: { readonly id?: string } = {}): Promise<CommandResult> {
    return this.#client.signal(this.id, name, payload, options);
  }

  approve(step: string, vote: VoteOptions): Promise<CommandResult> {
    return this.#vote(step, "approve", vote);
  }

  reject(step: string, vote: VoteOptions): Promise<CommandResult> {
    return this.#vote(step, "reject", vote);
  }

  requestChanges(step: string, vote: VoteOptions): Promise<CommandResult> {
    return this.#vote(step, "changes", vote);
  }

  /** The server votes in the name of the token. */
  #vote(step: string, verdict: ApiVote["verdict"], given: VoteOptions): Promise<CommandResult> {
    const { by: _, ...vote } = given;
    return this.#client.vote(this.id, { step, verdict, ...vote });
  }
}
