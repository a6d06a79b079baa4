// The custom scheduling strategies of code workflows on repositories of this machine. An engine is opened with it, so that
// any process that goes on with a workflow schedules it by its own strategy.
//
//   WS1. The input of an execution names the module of its strategy. It is loaded before the first task of the execution is
//        scheduled in this process: by the first step, or when the execution comes from the store.
//   WS2. A strategy that cannot be loaded, throws, or chooses a task that is not ready fails the tasks that have not started,
//        with its error; no agent starts. The strategy is loaded and asked again after `retry`.

import type { CustomStrategy, ReadyStep, StoredExecution, StrategyContext } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import { loadStrategy } from "../executor/load-strategy.ts";
import { WorkflowCatalog } from "../executor/workflow-catalog.ts";
import { isCodeWorkflow } from "../model/code-agents.ts";
import { selectStep } from "../scheduling/code-strategy.ts";
import type { SchedulingStrategy } from "../scheduling/scheduling-strategy.ts";
import { codeInputOf } from "../executor/code-input.ts";

interface StrategicWorkflow {
  readonly execution: StoredExecution;
  strategy: SchedulingStrategy | undefined;
  failure: Error | undefined;
}

/** The custom scheduling strategies of code workflows. An engine that is opened with it schedules each workflow by its own strategy. */
export class WorkflowStrategies implements CustomStrategy {
  readonly #catalog = new WorkflowCatalog();
  readonly #workflows = new Map<string, StrategicWorkflow>();

  /** Only workflows with a custom strategy. */
  covers(execution: string): boolean {
    return this.#workflows.has(execution);
  }

  /** Loads the strategy that the input of an execution names (WS1). */
  async load(execution: StoredExecution): Promise<void> {
    const { id, state } = execution;
    if (!isCodeWorkflow(state.program.definition)) return;
    const input = await codeInputOf(execution);
    const module = input?.settings.schedulingModule;
    if (module === undefined) return;
    const workflow: StrategicWorkflow = { execution, strategy: undefined, failure: undefined };
    this.forget(id);
    this.#catalog.remember(id, input!);
    this.#workflows.set(id, workflow);
    try {
      workflow.strategy = await loadStrategy(module);
    } catch (error) {
      workflow.failure = error as Error;
    }
  }

  /** Forgets the strategy of an execution. */
  forget(execution: string): void {
    this.#workflows.delete(execution);
    this.#catalog.forget(execution);
  }

  select(ready: readonly ReadyStep[], { execution: id }: StrategyContext): ReadyStep {
    const workflow = this.#workflows.get(id)!;
    const { execution, strategy, failure } = workflow;
    if (strategy === undefined) workflow.failure ??= notLoaded();
    if (strategy === undefined || failure !== undefined) return ready[0]!;
    return selectStep(ready, this.#catalog.view(id, execution.state), {
      strategy,
      fail: (_, error) => void (workflow.failure = error as Error),
    });
  }

  /** Throws if no task of the workflow may start (WS2). */
  assertValid(execution: string): void {
    const failure = this.#workflows.get(execution)?.failure;
    if (failure !== undefined) throw failure;
  }
}

function notLoaded(): CodeError {
  return new CodeError("STRATEGY_INVALID", "the scheduling strategy is not valid: its module was not loaded in time");
}
