// The executor of the planner's actions. A plan is one execution of the engine and an action is one step of it. So
// leases, epochs, attempts, timeouts, retries and recovery are the engine's own; there is no second table of epochs.
//
// It decides whether a delivery may run, and starts it. The engine runs, orders and stores actions.
//
//   A1. The planner gives an action epoch 0. The engine raises it when it accepts the action, with every further
//       attempt, and when its success is recorded (LEASE-2, ruling 29).
//   A2. An action runs in one execution: a list with an action of another execution is refused, and so is a delivery of
//       an action that the engine already has. A different lease, a revoked one, or an epoch above 0 that this engine
//       did not raise is a `LeaseExpiredError`; any other conflict is an `EpochConflictError`.
//   A3. Dispatching the same plan again returns the same execution, even after a restart; nothing of it runs twice.
//   A4. An attempt that lost its epoch changes nothing: the turn that would record its outcome drops it, and the store
//       refuses an engine that lost its store (LEASE-2, LEASE-3).
//   A5. The look-up and the start are atomic: deliveries of one workflow are serialised, and only the process that owns
//       the store accepts actions (LEASE-4).
//   A6. The action that a node gets is rebuilt by the planner's factory from the accepted one, with the epoch of its
//       attempt.

import {
  checkOptions,
  invalidOption,
  KeyedMutex,
  OBJECT,
  oneOf,
  type Engine,
  type ExecutionHandle,
  type OptionRule,
} from "@segno/engine";
import { executionId, SegnoError, type Json, type State } from "@segno/kernel";
import { FailureStrategy, type Action } from "@segno/planner";
import { isTolerant } from "@segno/planner/action-failure";
import { ActionIndex } from "./action-index.ts";
import { actionPlan, knownLease, nodeAgentName, type ActionPlan, type PlanShape } from "./action-plan.ts";
import { actionStatus, checkLease, toConflictError, type ActionStatus } from "./action-status.ts";
import { LeaseExpiredError } from "./lease-expired-error.ts";
import { nodeAgent, type ActionNodes, type ActionResults } from "./node-agent.ts";
import { checkedActions, type DispatchablePlan } from "./plan-check.ts";

/** Options of `ActionExecutor.dispatch`. */
export interface DispatchOptions {
  /** The maximum number of concurrent actions of the plan. The default is the engine's limit. */
  readonly concurrency?: number;
  /**
   * The failure strategy of actions that came as JSON and have none of their own; it is refused for plans whose actions
   * have one. `fail_fast`, the default, skips actions that have not begun; `continue_on_error` continues with actions
   * that do not depend on the failed one.
   */
  readonly failureStrategy?: FailureStrategy;
}

const OPTIONS: Readonly<Record<keyof DispatchOptions, OptionRule>> = {
  concurrency: {
    expected: "a whole number from 1 on",
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
  failureStrategy: oneOf(...Object.values(FailureStrategy)),
};

/** Runs the actions of a plan on an engine. Each action is a durable step that calls a node of the program. */
export class ActionExecutor {
  readonly #engine: Engine;
  readonly #nodeTypes: ReadonlySet<string>;
  readonly #dispatchState: DispatchState;

  /** Registers the nodes. Unfinished plans of an earlier engine continue as soon as their nodes are registered. */
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
   * Runs the actions of a plan, each after its dependencies have succeeded. If an action fails permanently, the plan
   * fails. Actions that have not begun are then skipped, unless the step of the failed action lets the others continue:
   * then only its dependants are skipped (ruling 53). The result maps the id of each action to its result.
   */
  async dispatch(plan: DispatchablePlan, options: DispatchOptions = {}): Promise<ExecutionHandle<ActionResults>> {
    if (!OBJECT.fits(options)) throw invalidOption("options", OBJECT.expected, options);
    checkOptions("a dispatch", options, OPTIONS);
    const { concurrency, failureStrategy } = options;
    const goesOn = failureStrategy === FailureStrategy.CONTINUE_ON_ERROR;
    const taken = this.#toPlan(plan, { isOrdered: true, concurrency, continuesOnError: goesOn });
    if (failureStrategy !== undefined && taken.actions.some(isTolerant))
      throw new SegnoError(
        "OPTION_INVALID",
        "`failureStrategy` is only for actions read from JSON: the steps of this plan define their own; leave the option out",
      );
    await this.#inSequence(taken, async () => {
      const state = await this.#engine.extensions.states.read(executionId(taken.executionId));
      if (state === undefined) await this.#start(taken);
      else checkSame(taken, state);
    });
    return this.#handle(taken);
  }

  /** Runs one action now; the caller is responsible for the order. A second delivery of it is refused. */
  async execute(action: Action): Promise<Json> {
    const taken = this.#toPlan([action], { isOrdered: false });
    await this.#inSequence(taken, () => this.#start(taken));
    const results = await (await this.#handle(taken)).result();
    return results[action.actionId] ?? null;
  }

  /** The status of an action; undefined if the engine does not have it. */
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
      throw new SegnoError(
        "ENGINE_NOT_OWNER",
        "only the process that owns the store accepts actions; dispatch them there",
      );
    await this.#dispatchState.sequence.run(plan.workflowId, work);
  }

  async #start(plan: ActionPlan): Promise<void> {
    const { actions, workflowId, definition, input, executionId: id } = plan;
    const known = await this.#dispatchState.index.find(actionIds(actions), workflowId);
    if (known !== undefined) throw toConflictError(findDelivered(actions, known), known);
    for (const { actionId, epoch } of actions)
      if (epoch > 0) throw new LeaseExpiredError(actionId, `it has epoch ${epoch}, but this engine does not know it`);
    await this.#engine.start(definition, input, { id, correlationId: workflowId });
    this.#dispatchState.index.add(id, workflowId, definition);
  }

  async #handle({ executionId: id }: ActionPlan): Promise<ExecutionHandle<ActionResults>> {
    return (await this.#engine.get(id)) as ExecutionHandle<ActionResults>;
  }
}

/** The state that all executors of an engine share. */
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

/** A3: the same ids are the same plan, unless a lease or another field has changed. */
function checkSame({ actions, executionId: id, definition }: ActionPlan, state: State): void {
  for (const action of actions) {
    const { actionId } = action;
    checkLease(action, actionStatus(id, state, actionId)!);
    if (knownLease(state.program.definition, actionId)?.seal !== knownLease(definition, actionId)?.seal)
      throw new SegnoError(
        "IDEMPOTENCY_CONFLICT",
        `the execution ${id} already has the action ${actionId} with different content`,
      );
  }
}
