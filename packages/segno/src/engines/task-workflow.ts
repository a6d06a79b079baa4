// Converts a plan and its strategy into a workflow of the engine: a definition, and the agents of its steps. It
// translates the terms of the task engines into those of the kernel (ENGINES-7).
//
//   W1. Agents are called `workflow/step`, like those of the builder: no contract can name them, and an execution from
//       a store finds its functions by these names.
//   W2. The definition is deterministic: every process generates the same one.

import type { Agent, BuiltWorkflow } from "@segno/engine";
import {
  durationMs,
  stepId,
  type Definition,
  type Json,
  type RetryDefinition,
  type StepDefinition,
} from "@segno/kernel";
import type { TaskStrategy, GateStep } from "./task-strategy.ts";
import { secondsToMs } from "./seconds.ts";
import { TaskAgent, type TaskHost } from "./task-agent.ts";
import type { TaskContext, TaskDefinition } from "./task-definition.ts";
import type { PlannedTask, VisibleTasks, TaskPlan } from "./task-plan.ts";

export interface TaskWorkflow extends BuiltWorkflow<TaskContext, Json> {
  readonly plan: TaskPlan;
}

export interface TaskWorkflowOptions {
  readonly plan: TaskPlan;
  readonly strategy: TaskStrategy;
  readonly host: TaskHost;
  /** Retries of tasks that set none. */
  readonly maxRetries: number;
  /** In seconds. */
  readonly grace: number | undefined;
}

export function taskWorkflow(options: TaskWorkflowOptions): TaskWorkflow {
  const { plan, strategy } = options;
  const agents = new Map<string, Agent>();
  const steps: StepDefinition[] = [];
  for (const task of plan.tasks) {
    agents.set(agentName(plan, task.stepId), createTaskAgent(task, options));
    steps.push(toStep(task, options));
  }
  for (const gate of strategy.gates) steps.push(gateStep(gate));
  return { definition: toWorkflowDefinition(options, steps), agents, plan };
}

function toWorkflowDefinition(options: TaskWorkflowOptions, steps: readonly StepDefinition[]): Definition {
  const { plan, strategy, grace } = options;
  return {
    name: plan.name,
    concurrency: strategy.concurrency,
    onFailure: "abort",
    ...(grace === undefined ? {} : { grace: secondsToMs(grace) }),
    steps,
  };
}

function agentName({ name }: TaskPlan, id: string): string {
  return `${name}/${id}`;
}

function createTaskAgent(planned: PlannedTask, { plan, strategy, host, maxRetries }: TaskWorkflowOptions): Agent {
  const { task } = planned;
  const visibleTasks = (): VisibleTasks => strategy.visibleTasks(planned);
  return new TaskAgent({ plan, task, visibleTasks, retries: task.retries ?? maxRetries, host });
}

function toStep(planned: PlannedTask, { plan, strategy, maxRetries }: TaskWorkflowOptions): StepDefinition {
  const { task, stepId: id } = planned;
  const { timeout, name } = task;
  return {
    id: stepId(id),
    action: { kind: "agent", agent: agentName(plan, id) },
    ...waitingFor(strategy.after(planned)),
    ...(name === id || name === "" ? {} : { name }),
    ...(timeout === null ? {} : { timeout: secondsToMs(timeout) }),
    retry: toRetry(task, task.retries ?? maxRetries),
  };
}

function gateStep({ id, after }: GateStep): StepDefinition {
  return { id: stepId(id), action: { kind: "barrier" }, ...waitingFor(after) };
}

function waitingFor(steps: readonly string[]): Pick<StepDefinition, "dependsOn"> {
  return steps.length === 0 ? {} : { dependsOn: steps.map((step) => ({ step: stepId(step), on: "succeeded" })) };
}

const ONCE: RetryDefinition = Object.freeze({ attempts: 1 });

/** ENGINES-5: further attempts, after a constant delay. */
function toRetry({ action, retryDelay }: TaskDefinition, retries: number): RetryDefinition {
  if (retries === 0 || action === null) return ONCE;
  const delay = durationMs(secondsToMs(retryDelay));
  return { attempts: retries + 1, base: delay, factor: 1, max: delay, on: ["transient", "timeout"] };
}
