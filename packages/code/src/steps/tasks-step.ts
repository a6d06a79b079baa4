// The step before the landing: tasks that appeared in the task backend while the workflow ran become steps (CODE-1).
//
//   TS1. All new tasks that can run become steps of one expansion, those that wait for other new tasks included. Only tasks
//        that appear while these run need another look, one level deeper.
//   TS2. An expansion declares no resources, so new tasks that touch the same files wait for each other, in the order in
//        which they appeared. Tasks of the template have landed by now.
//   TS3. A task that can never run ends the workflow with the reason; it is never left out silently.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { stepAttempts } from "./step-attempts.ts";
import type { RawStep } from "@segno/contract";
import { CodeError } from "../errors/code-error.ts";
import type { TaskArtefact } from "../model/execution-session.ts";
import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { isTracking } from "../tasks/tracking-record.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { forgeSecrets, MORE_TASKS } from "../template/compile-template.ts";
import { mayOverlap } from "../template/touched-files.ts";
import { backendTaskId, localTaskId, toStepTask } from "./backend-task.ts";
import { deadlockOf } from "./deadlock.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { permanentError } from "./permanent-error.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeSettings, StepTask } from "./step-values.ts";

export interface TasksInput {
  readonly workflow: WorkflowContext;
  readonly settings: CodeSettings;
  /** The tasks that are steps already. */
  readonly known: readonly Pick<StepTask, "id" | "backendId">[];
  /** The resource by which merges into the branch of the workflow take turns. */
  readonly mergeResource: string;
}

export async function lookForTasks(
  input: TasksInput,
  context: StepContext,
  { ports: { taskBackend } }: StepRuntime,
): Promise<{ readonly tasks: readonly string[] } | Expansion> {
  const { workflowId } = input.workflow;
  const known = new Map(input.known.map((task) => [backendTaskId(workflowId, task), task.id]));
  const { runnable, blocked } = sortTasks(await findNewTasks(taskBackend, workflowId, known), known);
  if (runnable.length === 0 && blocked.length > 0)
    throw permanentError(new CodeError("WORKFLOW_DEADLOCKED", deadlockOf(blocked)));
  if (runnable.length === 0) return { tasks: [...known.values()] };
  const ids = localIds(workflowId, runnable, known);
  context.log.info("Tasks were added", { tasks: [...ids.values()] });
  const artefacts = await knownArtefacts(taskBackend, runnable, known);
  const names = { ...artefacts, ids, known, orders: orderTouching(runnable) };
  const steps = runnable.flatMap((task) => taskSteps(input, task, names));
  return expand([...steps, lookAgain(input, ids)], { result: MORE_TASKS });
}

/** The unknown tasks of the workflow: those that are ready, and those that wait for a known or a new task. */
async function findNewTasks(
  backend: TaskBackend,
  workflowId: string,
  known: ReadonlyMap<string, string>,
): Promise<readonly CodeTask[]> {
  const found = new Map<string, CodeTask>();
  const add = (task: CodeTask | undefined): void => {
    if (task === undefined || task.workflowId !== workflowId || isTracking(task)) return;
    if (task.status !== "completed" && !known.has(task.id)) found.set(task.id, task);
  };
  for (const task of await backend.findReadyTasks(workflowId)) add(task);
  const seen = new Set<string>();
  const follow = async (id: string): Promise<void> => {
    if (seen.has(id)) return;
    seen.add(id);
    const task = await backend.getTask(id);
    add(task);
    for (const other of task?.blockedTasks ?? []) await follow(other);
  };
  for (const id of [...known.keys(), ...found.keys()]) await follow(id);
  return [...found.values()];
}

interface SortedTasks {
  readonly runnable: readonly CodeTask[];
  readonly blocked: readonly CodeTask[];
}

/** Known tasks have landed by now, so a task can run if it waits for nothing but known tasks and tasks that can run. */
function sortTasks(tasks: readonly CodeTask[], known: ReadonlyMap<string, string>): SortedTasks {
  const runnable = new Map<string, CodeTask>();
  const waitsFor = ({ dependencies }: CodeTask): readonly string[] =>
    dependencies.filter((id) => !known.has(id) && !runnable.has(id));
  for (let size = -1; size !== runnable.size;) {
    size = runnable.size;
    for (const task of tasks) if (waitsFor(task).length === 0) runnable.set(task.id, task);
  }
  return { runnable: [...runnable.values()], blocked: tasks.filter(({ id }) => !runnable.has(id)) };
}

/** The ids in step names, branches and folders, by the id in the backend. */
function localIds(
  workflowId: string,
  tasks: readonly CodeTask[],
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set(known.values());
  try {
    for (const { id } of tasks) {
      const local = localTaskId(workflowId, id);
      if (taken.has(local))
        throw new CodeError(
          "TASK_ID_INVALID",
          `the task \`${id}\` has the name of another task of the workflow, \`${local}\``,
        );
      taken.add(local);
      ids.set(id, local);
    }
  } catch (error) {
    throw permanentError(error as Error);
  }
  return ids;
}

/** The earlier tasks that touch the same files, by task; without those that wait for the task (TS2). */
function orderTouching(tasks: readonly CodeTask[]): ReadonlyMap<string, readonly string[]> {
  const waits = new Map(tasks.map(({ id, dependencies }) => [id, new Set(dependencies)]));
  const reaches = (from: string, to: string, seen: Set<string> = new Set()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(waits.get(from) ?? [])].some((next) => reaches(next, to, seen));
  };
  const orders = new Map<string, readonly string[]>();
  tasks.forEach((task, index) => {
    const earlier = tasks.slice(0, index).filter((other) => mayTouchSame(task, other) && !reaches(other.id, task.id));
    for (const { id } of earlier) waits.get(task.id)!.add(id);
    orders.set(
      task.id,
      earlier.map(({ id }) => id),
    );
  });
  return orders;
}

function mayTouchSame({ touches = [] }: CodeTask, { touches: others = [] }: CodeTask): boolean {
  return touches.some((one) => others.some((other) => mayOverlap(one, other)));
}

interface NewTaskNames {
  readonly orders: ReadonlyMap<string, readonly string[]>;
  readonly ids: ReadonlyMap<string, string>;
  readonly known: ReadonlyMap<string, string>;
  readonly results: ReadonlyMap<string, TaskArtefact>;
}

/** The results of known tasks that new tasks depend on, as the backend has them. */
async function knownArtefacts(
  backend: TaskBackend,
  tasks: readonly CodeTask[],
  known: ReadonlyMap<string, string>,
): Promise<Pick<NewTaskNames, "results">> {
  const results = new Map<string, TaskArtefact>();
  for (const id of new Set(tasks.flatMap(({ dependencies }) => dependencies.filter((other) => known.has(other))))) {
    const { summary, commit } = (await backend.getTask(id))?.result ?? {};
    results.set(id, {
      ...(summary === undefined ? {} : { summary }),
      ...(commit === undefined ? {} : { commit }),
      changedFiles: [],
    });
  }
  return { results };
}

function taskSteps(
  input: TasksInput,
  task: CodeTask,
  { ids, known, results, orders }: NewTaskNames,
): readonly RawStep[] {
  const { workflow, settings } = input;
  const id = ids.get(task.id)!;
  const name = (other: string): string => ids.get(other) ?? known.get(other)!;
  const step: StepTask = toStepTask(task, id, task.dependencies.map(name));
  const earlier = task.dependencies.filter((other) => ids.has(other));
  const common = escapeTemplates({ task: step, workflow, settings }) as object;
  const artefacts = Object.fromEntries(
    task.dependencies.map((other) => [
      name(other),
      ids.has(other) ? `\${ steps."merge-${name(other)}".output.artefact }` : escapeTemplates(results.get(other)),
    ]),
  );
  return [
    {
      id: `session-${id}`,
      name: (escapeTemplates(task.title) as string).slice(0, NAME_MAX),
      agent: CODE_AGENTS.claim,
      dependsOn: [
        ...earlier.map((other) => `merge-${name(other)}`),
        ...(orders.get(task.id) ?? [])
          .filter((other) => !earlier.includes(other))
          .map((other) => ({ step: `merge-${name(other)}`, on: "settled" as const })),
      ],
      resources: { sessions: step.exclusive ? settings.exclusivePlaces : 1 },
      ...stepAttempts(settings),
      ...(task.priority === 0 ? {} : { priority: task.priority }),
      input: { ...common, artefacts },
    },
    {
      id: `merge-${id}`,
      agent: CODE_AGENTS.merge,
      dependsOn: [`session-${id}`],
      resources: { [input.mergeResource]: 1 },
      ...stepAttempts(settings),
      ...forgeSecrets(settings.forge),
      input: { ...common, work: `\${ steps."session-${id}".output }`, artefacts },
    },
  ];
}

const NAME_MAX = 200;

function lookAgain(
  { workflow, settings, known, mergeResource }: TasksInput,
  added: ReadonlyMap<string, string>,
): RawStep {
  const more = Array.from(added, ([backendId, id]) => ({ id, backendId }));
  return {
    id: MORE_TASKS,
    agent: CODE_AGENTS.tasks,
    dependsOn: more.map(({ id }) => `merge-${id}`),
    input: escapeTemplates({ workflow, settings, known: [...known, ...more], mergeResource }),
  };
}
