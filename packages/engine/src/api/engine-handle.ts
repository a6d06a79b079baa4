// The handle on an execution: its queries and its control commands.
//
// This is a class and not an object of closures. A program may hold 100,000 handles, and fifteen closures per handle
// dominated the work of the garbage collector.

import type { ExecutionId, Json, StepArtifact } from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { WatchEvent } from "../events/watch-event.ts";
import type { EventReadOptions, ExecutionHandle, ExecutionReport } from "./execution-handle.ts";
import type { CancelOptions, CommandResult, RetryOptions, VoteOptions } from "../inbox/command-options.ts";
import type { ExecutionQueries } from "./execution-queries.ts";
import { ANYTHING, checkOptions, wholeNumber } from "../checks/option-rules.ts";
import { copyJson } from "../checks/copy-json.ts";
import { cancelCommand, checkSignalOptions, retryCommand, signalCommand, voteCommand } from "./control-commands.ts";
import type { CommandSender } from "../inbox/command-sender.ts";

export interface HandlePorts {
  readonly queries: ExecutionQueries;
  readonly commands: CommandSender;
  readonly environment: SystemPorts;
}

export class EngineHandle implements ExecutionHandle {
  readonly id: ExecutionId;
  readonly #ports: HandlePorts;

  constructor(id: ExecutionId, ports: HandlePorts) {
    this.id = id;
    this.#ports = ports;
  }

  result(): Promise<Json> {
    return this.#ports.queries.result(this.id);
  }

  status(): Promise<ExecutionReport> {
    return this.#ports.queries.status(this.id);
  }

  output(step: string): Promise<Json | undefined> {
    return this.#ports.queries.output(this.id, step);
  }

  artifacts(step?: string): Promise<readonly StepArtifact[]> {
    return this.#ports.queries.artifacts(this.id, step);
  }

  copyArtifact(step: string, path: string, to: string): Promise<void> {
    return this.#ports.queries.copyArtifact(this.id, step, path, to);
  }

  events(options: EventReadOptions = {}): AsyncIterable<WatchEvent> {
    checkOptions("the events of an execution", options, { after: wholeNumber(0), signal: ANYTHING });
    return this.#ports.queries.events(this.id, options);
  }

  async cancel(options: CancelOptions = {}): Promise<CommandResult> {
    const command = cancelCommand(options);
    return this.#ports.commands.send(this.id, () => command);
  }

  pause(): Promise<CommandResult> {
    return this.#ports.commands.send(this.id, () => ({ kind: "pause" }));
  }

  resume(): Promise<CommandResult> {
    return this.#ports.commands.send(this.id, () => ({ kind: "resume" }));
  }

  async retry(options: RetryOptions = {}): Promise<CommandResult> {
    const command = retryCommand(options);
    return this.#ports.commands.send(this.id, () => command);
  }

  async signal(name: string, payload: Json = null, options: { readonly id?: string } = {}): Promise<CommandResult> {
    checkSignalOptions(options);
    const [own, id] = [copyJson("the payload of a signal", payload), options?.id];
    return this.#ports.commands.send(this.id, () => signalCommand(id ?? this.#newId(), name, own));
  }

  async approve(step: string, options: VoteOptions): Promise<CommandResult> {
    const command = voteCommand("approve", step, options, () => this.#newId());
    return this.#ports.commands.send(this.id, () => command);
  }

  async reject(step: string, options: VoteOptions): Promise<CommandResult> {
    const command = voteCommand("reject", step, options, () => this.#newId());
    return this.#ports.commands.send(this.id, () => command);
  }

  async requestChanges(step: string, options: VoteOptions): Promise<CommandResult> {
    const command = voteCommand("changes", step, options, () => this.#newId());
    return this.#ports.commands.send(this.id, () => command);
  }

  #newId(): string {
    return this.#ports.environment.id();
  }
}
