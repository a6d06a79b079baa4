// The code workflows of an engine as scheduling strategies see them. Everything is read from the state of the execution,
// at once: a strategy cannot wait.

import type { Engine, ReadyStep } from "@segno/engine";
import { stepSnapshot, type ExecutionId, type State } from "@segno/kernel";
import { workflowBranch } from "../git/branch-names.ts";
import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import type { ScheduledWorkflow } from "../scheduling/code-strategy.ts";
import { toCodeTask } from "../steps/backend-task.ts";
import type { CodeInput } from "../steps/step-values.ts";
import { isCodeWorkflow } from "../model/code-agents.ts";
import type { TemplateTask } from "../template/template.ts";

export const SESSION: RegExp = /(?:^|\/)session-([^/]+)$/u;

export class WorkflowCatalog {
  readonly #inputs = new Map<string, CodeInput>();
  readonly #tasks = new Map<string, ReadonlyMap<string, CodeTask>>();

  /** Remembers the input of an execution that this process starts. */
  remember(workflowId: string, input: CodeInput): void {
    this.#inputs.set(workflowId, input);
  }

  forget(workflowId: string): void {
    this.#inputs.delete(workflowId);
    this.#tasks.delete(workflowId);
  }

  /** Undefined if the execution is not a code workflow that runs in this process. */
  find(engine: Engine, workflowId: string): ScheduledWorkflow | undefined {
    const state = engine.extensions.states.live(workflowId as ExecutionId);
    return state === undefined || !isCodeWorkflow(state.program.definition) ? undefined : this.view(workflowId, state);
  }

  /** A code workflow with this state. */
  view(workflowId: string, state: State): ScheduledWorkflow {
    const input = this.#inputs.get(workflowId) ?? inlineInput(state);
    const tasks = this.#tasks.get(workflowId) ?? tasksOf(workflowId, state, input);
    this.#tasks.set(workflowId, tasks);
    const positions = new Map([...tasks.keys()].map((id, position) => [id, position]));
    return {
      context: contextOf(workflowId, state, input),
      taskOf: (step) => {
        const id = SESSION.exec(step.step)?.[1];
        return id === undefined ? undefined : (tasks.get(id) ?? addedTask(workflowId, id, step));
      },
      positionOf: ({ id }) => positions.get(id) ?? positions.size,
    };
  }

  /** The tasks of a workflow with their status. */
  tasks(engine: Engine, workflowId: string): readonly CodeTask[] {
    const state = engine.extensions.states.live(workflowId as ExecutionId);
    if (state === undefined || this.find(engine, workflowId) === undefined) return [];
    const statuses = new Map(
      state.program.definition.steps.map(({ id }, step) => [id as string, stepSnapshot(state, step).status]),
    );
    return [...this.#tasks.get(workflowId)!.values()].map((task) => ({
      ...task,
      status: taskStatus(statuses.get(`session-${task.id}`), statuses.get(`merge-${task.id}`)),
    }));
  }
}

/** The status of a task, from those of its two steps. */
export function taskStatus(session: string | undefined, merge: string | undefined): CodeTask["status"] {
  if (merge === "succeeded") return "completed";
  if (session === "failed" || merge === "failed") return "failed";
  return session === undefined || UNBEGUN.has(session) ? "open" : "in_progress";
}

const UNBEGUN: ReadonlySet<string> = new Set(["waiting", "ready", "queued"]);

/** Undefined if the input is so large that it lies beside the journal. */
function inlineInput({ created }: State): CodeInput | undefined {
  return created?.input.kind === "inline" ? (created.input.json as unknown as CodeInput) : undefined;
}

function tasksOf(workflowId: string, state: State, input: CodeInput | undefined): ReadonlyMap<string, CodeTask> {
  const list = input === undefined ? definedTasks(state) : Object.values(input.tasks);
  const startedAt = state.created?.at ?? 0;
  return new Map(
    list.map((task) => {
      const { deadline } = task;
      const date = typeof deadline === "number" ? { deadline: new Date(startedAt + deadline).toISOString() } : {};
      return [task.id, { ...toCodeTask(workflowId, task, list), ...date }];
    }),
  );
}

/** The tasks as the definition has them, without their texts. */
function definedTasks({ program }: State): readonly TemplateTask[] {
  return program.definition.steps.flatMap(({ id, name, priority = 0, dependsOn = [] }) => {
    const task = SESSION.exec(id)?.[1];
    if (task === undefined) return [];
    const others = dependsOn.flatMap(({ step, on }) =>
      // A task that touches the same files is waited for until it has settled; it is no dependency.
      step.startsWith("merge-") && on === "succeeded" ? [step.slice("merge-".length)] : [],
    );
    return [{ ...BARE, id: task, title: name ?? task, priority, dependsOn: others }];
  });
}

const BARE = { instructions: "", acceptanceCriteria: [], context: {}, type: "task", touches: [], exclusive: false };

/** A task that appeared in the task backend. */
function addedTask(workflowId: string, id: string, { priority }: ReadyStep): CodeTask {
  return toCodeTask(workflowId, { ...BARE, id, title: id, priority, dependsOn: [] });
}

function contextOf(workflowId: string, state: State, input: CodeInput | undefined): WorkflowContext {
  const { detail } = stepSnapshot(state, 0);
  if (detail.kind === "output" && detail.output.kind === "inline")
    return detail.output.json as unknown as WorkflowContext;
  const { template = state.program.definition.name, parameters = {}, baseBranch = "" } = input ?? {};
  return { workflowId, template, parameters, baseBranch, baseCommit: "", workflowBranch: workflowBranch(workflowId) };
}
