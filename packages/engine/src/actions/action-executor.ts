// The executor of the planner's actions. A plan is one execution of the engine and an action is one step of it, so leases,
// epochs, attempts, timeouts, retries and recovery are the engine's own; there is no second table of epochs.
//
// Job: to decide whether a delivery may run, and to start it. Not its job: to run, to order or to remember.
//
//   A1. The planner gives an action epoch 0. The engine raises it when it takes the action in, with every further attempt,
//       and when its success is recorded (LEASE-2, ruling 29).
//   A2. An action runs in one execution: a list that holds an action of another one is refused, and so is a delivery of an
//       action that the engine has. Another lease, a revoked one, or an epoch above 0 that nobody here raised is a
//       `LeaseExpiredError`; everything else is an `EpochConflictError`.
//   A3. The same plan dispatched again is the same execution, also after a restart; nothing of it runs twice.
//   A4. An attempt that lost its epoch changes nothing: its outcome is dropped in the turn that would have recorded it, and
//       an engine that lost its store is refused by the store (LEASE-2, LEASE-3).
//   A5. Looking and starting are one: those who bring actions of one workflow wait for each other, and only the process that
//       owns the store takes actions in (LEASE-4).
//   A6. What a node gets is rebuilt by the planner's factory from what was taken in, under the epoch of its attempt.

import { executionId, SegnoError, type Json, type State } from "@segno/kernel";
import { FailureStrategy, type Action } from "@segno/planner";
import { letsOthersGoOn } from "@segno/planner/action-failure";
import type { Engine } from "../api/engine.ts";
import type { ExecutionHandle } from "../api/execution-handle.ts";
import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, oneOf, type Rule } from "../checks/option-rules.ts";
import { KeyedMutex } from "../collections/keyed-mutex.ts";
import { ActionIndex } from "./action-index.ts";
import { actionPlan, knownLease, nodeAgentName, type ActionPlan, type PlanShape } from "./action-plan.ts";
import { actionStatus, checkLease, toConflictError, type ActionStatus } from "./action-status.ts";
import { LeaseExpiredError } from "./lease-expired-error.ts";
import { nodeAgent, type ActionNodes, type ActionResults } from "./node-agent.ts";
import { checkedActions, type DispatchablePlan } from "./plan-check.ts";

export interface DispatchOptions {
  /** How many actions of the plan may run at once; as many as the engine's limits allow when it is absent. */
  readonly concurrency?: number;
  /**
   * The failure strategy of actions that came as JSON, which have none of their own; refused where the actions of a plan have. `fail_fast`, the default, skips actions that
   * have not begun; `continue_on_error` goes on with actions that do not depend on the failed one.
   */
  readonly failureStrategy?: FailureStrategy;
}

const OPTIONS: Readonly<Record<keyof DispatchOptions, Rule>> = {
  concurrency: {
    expected: "a whole number from 1 on",
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
  failureStrategy: oneOf(...Object.values(FailureStrategy)),
};

export class ActionExecutor {
  readonly #engine: Engine;
  readonly #nodeTypes: ReadonlySet<string>;
  readonly #dispatchState: DispatchState;

  /** Plans that an engine before this one left unfinished go on as soon as their nodes are here. */
  constructor(engine: Engine, nodes: ActionNodes) {
    this.#engine = engine;
    this.#nodeTypes = new Set(Object.keys(nodes));
    this.#dispatchState = dispatchState(engine);
    for (const [type, node] of Object.entries(nodes)) {
      if (typeof node !== "function") throw new SegnoError("OPTION_INVALID", `the node \`${type}\` is not a function`);
      engine.agent(nodeAgentName(type), nodeAgent(engine, node));
    }
  }

  /**
   * Runs the actions of a plan, each when those that it depends on have succeeded. When one fails for good, the plan fails. What
   * has not begun is skipped then, unless the step of the failed action lets the others go on: then only those that depend on it
   * are skipped (ruling 53). The result has what each action gave back, by its id.
   */
  async dispatch(plan: DispatchablePlan, options: DispatchOptions = {}): Promise<ExecutionHandle<ActionResults>> {
    if (!isObject(options)) throw invalidOption("options", "an object", options);
    checkOptions("a dispatch", options, OPTIONS);
    const { concurrency, failureStrategy } = options;
    const goesOn = failureStrategy === FailureStrategy.CONTINUE_ON_ERROR;
    const taken = this.#toPlan(plan, { isOrdered: true, concurrency, continuesOnError: goesOn });
    if (failureStrategy !== undefined && taken.actions.some(letsOthersGoOn))
      throw new SegnoError(
        "OPTION_INVALID",
        "`failureStrategy` is for actions that came as JSON: the steps of this plan say themselves whether the others go on",
      );
    await this.#inSequence(taken, async () => {
      const state = await this.#engine.extensions.readState(executionId(taken.executionId));
      if (state === undefined) await this.#start(taken);
      else checkSame(taken, state);
    });
    return this.#handle(taken);
  }

  /** Runs one action now; whoever calls sees to the order. A second delivery of it is refused. */
  async execute(action: Action): Promise<Json> {
    const taken = this.#toPlan([action], { isOrdered: false });
    await this.#inSequence(taken, () => this.#start(taken));
    const results = await (await this.#handle(taken)).result();
    return results[action.actionId] ?? null;
  }

  /** What the engine knows of an action; nothing when it does not have it. */
  async status(action: Action): Promise<ActionStatus | undefined> {
    const { actions, workflowId } = checkedActions([action], { isOrdered: false });
    return this.#dispatchState.index.find(actionIds(actions), workflowId);
  }

  #toPlan(given: unknown, shape: PlanShape): ActionPlan {
    const { actions, workflowId } = checkedActions(given, { nodeTypes: this.#nodeTypes, isOrdered: shape.isOrdered });
    return actionPlan(actions, workflowId, shape);
  }

  async #inSequence(plan: ActionPlan, work: () => Promise<void>): Promise<void> {
    if (!this.#engine.isOwner)
      throw new SegnoError("ENGINE_NOT_OWNER", "actions are taken in by the process that owns the store");
    await this.#dispatchState.sequence.run(plan.workflowId, work);
  }

  async #start(plan: ActionPlan): Promise<void> {
    const { actions, workflowId, definition, input, executionId: id } = plan;
    const known = await this.#dispatchState.index.find(actionIds(actions), workflowId);
    if (known !== undefined) throw toConflictError(findDelivered(actions, known), known);
    for (const { actionId, epoch } of actions)
      if (epoch > 0)
        throw new LeaseExpiredError(actionId, `it has epoch ${epoch}, and nothing that raised it is known here`);
    await this.#engine.start(definition, input, { id, correlationId: workflowId });
    this.#dispatchState.index.add(id, workflowId, definition);
  }

  async #handle({ executionId: id }: ActionPlan): Promise<ExecutionHandle<ActionResults>> {
    return (await this.#engine.get(id)) as ExecutionHandle<ActionResults>;
  }
}

/** What all executors of an engine share. */
interface DispatchState {
  readonly index: ActionIndex;
  readonly sequence: KeyedMutex;
}

const DISPATCH_STATES = new WeakMap<Engine, DispatchState>();

function dispatchState(engine: Engine): DispatchState {
  const inboxPoller = DISPATCH_STATES.get(engine) ?? { index: new ActionIndex(engine), sequence: new KeyedMutex() };
  DISPATCH_STATES.set(engine, inboxPoller);
  return inboxPoller;
}

function actionIds(actions: readonly Action[]): readonly string[] {
  return actions.map(({ actionId }) => actionId);
}

function findDelivered(actions: readonly Action[], { actionId }: ActionStatus): Action {
  return actions.find((each) => each.actionId === actionId)!;
}

/** A3: the same ids are the same plan, unless somebody changed a lease or anything else since. */
function checkSame({ actions, executionId: id, definition }: ActionPlan, state: State): void {
  for (const action of actions) {
    const { actionId } = action;
    checkLease(action, actionStatus(id, state, actionId)!);
    if (knownLease(state.program.definition, actionId)?.seal !== knownLease(definition, actionId)?.seal)
      throw new SegnoError(
        "IDEMPOTENCY_CONFLICT",
        `the execution ${id} has the action ${actionId} with another content`,
      );
  }
}
