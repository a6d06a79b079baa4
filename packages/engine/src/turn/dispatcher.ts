// The dispatcher: what a turn asks of the outside, once it is durable. Attempts are started with what they need, and
// sub-workflows are looked up.
//
//   P1. An attempt is started once, and only while it is the current one of its step: one that was stopped while its values
//       were being loaded never begins (CANCEL-1).
//   P2. A store that cannot be read delays an attempt; it does not end it.

import {
  attemptsUnderWay,
  compiledStep,
  dependencyOutputs,
  InvariantViolation,
  isJsonObject,
  runEffectOf,
  stepName,
  type ContentHash,
  type Effect,
  type ExecutionId,
  type Happening,
  type Json,
  type RunEffect,
  type State,
  type StepIndex,
  type Value,
  type World,
} from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import { attemptToken } from "../idempotency/token.ts";
import type { Registry } from "../registry.ts";
import type { Attempt, Runner } from "../runners/runner.ts";
import type { Store } from "../store/store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { LiveExecution } from "./live-execution.ts";

export interface DispatcherPorts {
  readonly store: Store;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly runner: Runner;
  readonly check: World["check"];
  post(execution: LiveExecution, happening: Happening): void;
  /** Resolves later, or when everything is over. */
  sleep(ms: number): Promise<void>;
  ail(execution: LiveExecution, error: unknown): void;
}

/** How long to wait before values are asked for again. */
const AGAIN_MS = 200;

const NO_OUTPUTS: ReturnType<typeof dependencyOutputs> = Object.freeze({ outputs: Object.freeze({}), needs: [] });

export class Dispatcher {
  readonly #ports: DispatcherPorts;
  /** Attempts whose values are being loaded. */
  readonly #starting = new Set<string>();

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
  }

  knows(execution: LiveExecution, step: StepIndex): boolean {
    const agent = agentOf(execution.state, step);
    return agent !== undefined && this.#ports.runner.knows(agent);
  }

  /** Whether somebody sees to this attempt. */
  isUnderWay(key: string): boolean {
    return this.#starting.has(key) || this.#ports.runner.isRunning(key);
  }

  run(execution: LiveExecution, effect: RunEffect): void {
    const { outputs, needs } = this.#outputsFor(execution, effect.step);
    const missing = [...needs, ...missingInputs(execution, effect)];
    if (missing.length > 0) return void this.#runWhenLoaded(execution, effect, missing);
    this.#ports.runner.start(this.#attempt(execution, effect, outputs));
  }

  #outputsFor(execution: LiveExecution, step: StepIndex): ReturnType<typeof dependencyOutputs> {
    const agent = this.#ports.registry.agents.get(agentOf(execution.state, step) ?? "");
    if (agent?.needsOutputs === false) return NO_OUTPUTS;
    const world: World = { value: (hash) => execution.values.get(hash), check: this.#ports.check };
    return dependencyOutputs(execution.state, step, world);
  }

  abort(execution: LiveExecution, { step, epoch, force, reason }: Effect & { kind: "abort" }): void {
    this.#ports.runner.abort(attemptKey(execution.id, step, epoch), force, reason);
  }

  /** Gives up everything that runs for an execution. */
  abandon(execution: LiveExecution, reason: string): void {
    for (const { step, epoch } of attemptsUnderWay(execution.state))
      this.#ports.runner.abort(attemptKey(execution.id, step, epoch), true, reason);
  }

  resolve(execution: LiveExecution, { step, workflow }: Effect & { kind: "resolve" }): void {
    const found = this.#ports.registry.workflow(workflow);
    const at = this.#ports.environment.now();
    if (found !== undefined) return this.#ports.post(execution, { kind: "resolved", at, step, definition: found.hash });
    const failure = {
      class: "permanent",
      code: "WORKFLOW_UNKNOWN",
      message: `no workflow \`${workflow}\` is registered`,
    } as const;
    this.#ports.post(execution, { kind: "unresolved", at, step, failure });
  }

  lost(step: number, epoch: number, reason: string): Happening {
    return { kind: "lost", at: this.#ports.environment.now(), step: step as StepIndex, epoch, reason };
  }

  async fetchValues(execution: LiveExecution, hashes: readonly ContentHash[]): Promise<void> {
    const contents = await this.#ports.store.contents({ kind: "values", execution: execution.id, hashes });
    for (const hash of hashes) {
      const body = contents.get(hash);
      if (body === undefined) throw new InvariantViolation("JOURNAL-4", `the value ${hash} is not in the store`);
      execution.values.set(hash, JSON.parse(body) as Json);
    }
  }

  async #runWhenLoaded(execution: LiveExecution, effect: RunEffect, needs: readonly ContentHash[]): Promise<void> {
    const key = attemptKey(execution.id, effect.step, effect.epoch);
    this.#starting.add(key);
    try {
      await this.#fetchPatiently(execution, needs);
    } catch (error) {
      return this.#ports.ail(execution, error);
    } finally {
      this.#starting.delete(key);
    }
    if (execution.activity === "gone") return;
    if (runEffectOf(execution.state, effect.step)?.epoch === effect.epoch) return this.run(execution, effect);
    this.#ports.post(execution, this.lost(effect.step, effect.epoch, "it was stopped before it began"));
  }

  async #fetchPatiently(execution: LiveExecution, needs: readonly ContentHash[]): Promise<void> {
    while (execution.activity !== "gone") {
      try {
        return await this.fetchValues(execution, needs);
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error;
        await this.#ports.sleep(AGAIN_MS);
      }
    }
  }

  #attempt(execution: LiveExecution, effect: RunEffect, outputs: Readonly<Record<string, Json>>): Attempt {
    const { id, state } = execution;
    const { step, epoch, attempt, deadline, secrets } = effect;
    const workflow = state.program.definition.name;
    const input = (): Json => inputOf(execution, effect);
    return {
      key: attemptKey(id, step, epoch),
      agent: agentOf(state, step)!,
      execution: id,
      workflow,
      step: stepName(state, step),
      attempt,
      epoch,
      deadline,
      secrets,
      input,
      outputs: () => outputs,
      token: () =>
        attemptToken({ executionId: id, input: input(), stepId: stepName(state, step), workflowId: workflow }),
      end: (outcome) =>
        this.#ports.post(execution, { kind: "ended", at: this.#ports.environment.now(), step, epoch, outcome }),
    };
  }
}

export function attemptKey(id: ExecutionId, step: number, epoch: number): string {
  return `${id} ${step} ${epoch}`;
}

/** The step's own input where it has one; a step without one gets the workflow's. */
function inputOf(execution: LiveExecution, effect: RunEffect): Json {
  const call = valueOf(execution, effect.call);
  if (isJsonObject(call) && Object.hasOwn(call, "input")) return call["input"]!;
  return valueOf(execution, execution.state.created?.input);
}

/** Inputs that are stored beside the journal and not at hand. */
function missingInputs(execution: LiveExecution, effect: RunEffect): readonly ContentHash[] {
  return [effect.call, execution.state.created?.input].flatMap((value) =>
    value?.kind === "stored" && !execution.values.has(value.hash) ? [value.hash] : [],
  );
}

function valueOf(execution: LiveExecution, value: Value | undefined): Json {
  if (value?.kind === "inline") return value.json;
  return value?.kind === "stored" ? (execution.values.get(value.hash) ?? null) : null;
}

function agentOf(state: State, step: StepIndex): string | undefined {
  const { action } = compiledStep(state, step).definition;
  return action.kind === "agent" ? action.agent : undefined;
}
