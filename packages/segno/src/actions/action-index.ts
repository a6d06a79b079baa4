// Finds the execution of an action.
//
//   I1. The store is queried once per workflow, by the id that all its actions have in their payloads, and each of its
//       plans is read once. From then on every accepted action is added here, while this process owns the store.
//   I2. An execution of a single action is read only on demand: its id names the action.
//   I3. The number of actions is limited, as for an engine without a store. Beyond the limit the oldest plans are
//       evicted; with a store, their workflows are queried again.

import type { Engine, ListedExecution } from "@segno/engine";
import { executionId, type Definition } from "@segno/kernel";
import { ACTIONS_WORKFLOW, actionIdsIn, planExecutionId } from "./action-plan.ts";
import { actionStatus, type ActionStatus } from "./action-status.ts";

const KNOWN_MAX = 100_000;
const PAGE = 1000;

interface KnownPlan {
  readonly workflowId: string;
  /** Empty if it was not read yet (I2). */
  readonly actionIds: readonly string[];
}

/** Identifies one period in which this process owns the store. */
interface OwnershipToken {
  isLost: boolean;
}

export class ActionIndex {
  readonly #engine: Engine;
  readonly #plans = new Map<string, KnownPlan>();
  readonly #executions = new Map<string, string>();
  /** Workflows whose plans are all known. */
  readonly #listed = new Set<string>();
  #ownership: OwnershipToken = { isLost: false };

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.extensions.onOwnershipLost(() => this.#loseOwnership());
  }

  add(id: string, workflowId: string, definition: Definition): void {
    const actionIds = actionIdsIn(definition);
    for (const actionId of actionIds) this.#executions.set(actionId, id);
    this.#remember(id, { workflowId, actionIds });
  }

  /** The first of these actions that the engine has; undefined if it has none of them. */
  async find(actionIds: readonly string[], workflowId: string): Promise<ActionStatus | undefined> {
    if (!this.#listed.has(workflowId)) await this.#list(workflowId);
    for (const actionId of actionIds) {
      const found = await this.#readStatus(actionId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #readStatus(actionId: string): Promise<ActionStatus | undefined> {
    const alone = planExecutionId([actionId]);
    const id = this.#executions.get(actionId.toLowerCase()) ?? (this.#plans.has(alone) ? alone : undefined);
    if (id === undefined) return undefined;
    const state = await this.#engine.extensions.states.read(executionId(id));
    // The execution was removed from the store, or evicted by an engine without one.
    if (state === undefined) return this.#forget(id);
    return actionStatus(id, state, actionId);
  }

  async #list(workflowId: string): Promise<void> {
    const ownership = this.#engine.isOwner ? this.#ownership : undefined;
    for await (const { id, steps } of this.#listPlans(workflowId)) {
      if (this.#plans.has(id)) continue;
      if (steps.total === 1) this.#remember(id, { workflowId, actionIds: [] });
      else await this.#read(id, workflowId);
    }
    if (ownership?.isLost === false) this.#listed.add(workflowId);
  }

  async #read(id: string, workflowId: string): Promise<void> {
    const state = await this.#engine.extensions.states.read(executionId(id));
    if (state !== undefined) this.add(id, workflowId, state.program.definition);
  }

  async *#listPlans(workflowId: string): AsyncGenerator<ListedExecution> {
    const filter = { workflow: ACTIONS_WORKFLOW, correlationId: workflowId, limit: PAGE };
    for (let page = await this.#engine.list(filter); ; page = await this.#engine.list(filter, page.cursor)) {
      yield* page.executions;
      if (page.cursor === undefined) return;
    }
  }

  #loseOwnership(): void {
    this.#ownership.isLost = true;
    this.#ownership = { isLost: false };
    this.#listed.clear();
  }

  #remember(id: string, plan: KnownPlan): void {
    this.#plans.set(id, plan);
    for (const [oldest, { workflowId }] of this.#plans) {
      if (this.#plans.size + this.#executions.size <= KNOWN_MAX || oldest === id) return;
      this.#forget(oldest);
      this.#listed.delete(workflowId);
    }
  }

  #forget(id: string): undefined {
    for (const actionId of this.#plans.get(id)?.actionIds ?? []) this.#executions.delete(actionId);
    this.#plans.delete(id);
  }
}
