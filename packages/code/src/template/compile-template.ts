// Compiles a template to an ordinary definition (CODE-1).
//
//   D1. Each task is two steps: `session-<task>`, in which an agent works, and `merge-<task>`, which merges the work into
//       the workflow branch. A dependency waits for the merge of the other task, so a session starts with its files.
//   D2. `prepare` comes first and creates the workflow branch; `land` comes last and merges it into the base branch.
//       `more-tasks` comes before it: tasks that appeared in the task backend become steps there.
//   D3. The definition depends on the template alone. Parameters and texts are in the input of the execution.
//   D4. Limits are resources: a session takes one place of `sessions`, an exclusive one takes all places, and merges into
//       one branch take turns. Tasks that touch the same files share a resource of one.
//   D5. Merges on a forge need its token, so these steps declare the secret. The journal has only its name.
//   D6. If the tasks are in a task backend that other executors use too, the step of a session claims its task first, and
//       opens into the session when it has got it. So the journal says which sessions were executed here.

import {
  durationMs,
  stepId,
  type Definition,
  type DependencyDefinition,
  type DurationMs,
  type ResourceDefinition,
  type RetryDefinition,
  type StepDefinition,
} from "@segno/kernel";
import { CODE_AGENTS } from "../model/code-agents.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import { RETRY_POLICY } from "../model/retry-policy.ts";
import { referencesIn } from "./parameter-texts.ts";
import { overlappingTasks } from "./touched-files.ts";
import type { CodeTemplate, TemplateTask } from "./template.ts";

export interface CompileOptions {
  readonly mode: "sequential" | "parallel" | "hybrid";
  readonly parallelTasksMax: number;
  readonly taskTimeout: DurationMs;
  /** When a session or a merge is tried again. */
  readonly retry: RetryDefinition;
  /** Whether tasks are ordered by their priority; otherwise the first one that is ready comes first. */
  readonly hasPriorities: boolean;
  /** How many sessions may be at work, in all workflows together. */
  readonly sessionsMax: number;
  /** Whether other executors may work on the tasks too (D6). */
  readonly claimsTasks?: boolean;
}

/** Ruling 46. */
export const COMPILE_DEFAULTS: CompileOptions = {
  mode: "hybrid",
  parallelTasksMax: 4,
  taskTimeout: durationMs(3_600_000),
  retry: { attempts: RETRY_POLICY.maxAttempts, on: ["transient", "timeout"] },
  hasPriorities: true,
  sessionsMax: 10,
};

/** The step that looks for tasks that appeared in the task backend. */
export const MORE_TASKS = "more-tasks";

export function compileTemplate(template: CodeTemplate, options: CompileOptions = COMPILE_DEFAULTS): Definition {
  const overlaps = overlappingTasks(template.tasks);
  const places = options.mode === "sequential" ? 1 : options.parallelTasksMax;
  const resources: Record<string, ResourceDefinition> = {
    sessions: { kind: "capacity", capacity: places },
    merges: { kind: "capacity", capacity: 1 },
  };
  for (const { resource } of overlaps) resources[resource] = { kind: "capacity", capacity: 1 };
  const shared = (task: TemplateTask): Readonly<Record<string, number>> =>
    Object.fromEntries(overlaps.filter(({ tasks }) => tasks.includes(task.id)).map(({ resource }) => [resource, 1]));
  return {
    name: template.name,
    ...(template.description === undefined ? {} : { description: template.description }),
    resources,
    agents: { [CODE_AGENTS.session]: { limits: { concurrency: options.sessionsMax } } },
    ...forgeSecrets(template.forge),
    onFailure: "finish",
    steps: [
      prepareStep(),
      ...template.tasks.flatMap((task) => [
        sessionStep(task, options, { sessions: isAlone(task, options) ? places : 1, ...shared(task) }),
        { ...mergeStep(task), retry: options.retry, ...forgeSecrets(template.forge) },
      ]),
      moreTasksStep(template.tasks),
      { ...landStep(template.tasks), retry: options.retry, ...forgeSecrets(template.forge) },
    ],
  };
}

/** The secrets of steps that merge (D5). */
export function forgeSecrets(forge: ForgeConfiguration | undefined): { readonly secrets?: readonly string[] } {
  return forge === undefined ? {} : { secrets: [forge.tokenSecret] };
}

function isAlone({ exclusive }: TemplateTask, { mode }: CompileOptions): boolean {
  return exclusive && mode === "hybrid";
}

function prepareStep(): StepDefinition {
  return { id: stepId("prepare"), action: { kind: "agent", agent: CODE_AGENTS.prepare }, input: "${ input }" };
}

function sessionStep(
  task: TemplateTask,
  { taskTimeout, retry, hasPriorities, claimsTasks = false }: CompileOptions,
  resources: Readonly<Record<string, number>>,
): StepDefinition {
  const { id, title, dependsOn, priority } = task;
  return {
    id: stepId(`session-${id}`),
    // The definition does not depend on parameters (D3), so a title with one cannot be shown.
    ...(referencesIn(title).length > 0 ? {} : { name: title }),
    action: { kind: "agent", agent: claimsTasks ? CODE_AGENTS.claim : CODE_AGENTS.session },
    dependsOn: [after("prepare"), ...dependsOn.map((other) => after(`merge-${other}`))],
    input: {
      task: `\${ input.tasks."${id}" }`,
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      artefacts: Object.fromEntries(
        dependsOn.map((other) => [other, `\${ steps."merge-${other}".output.artefact }`] as const),
      ),
    },
    timeout: taskTimeout,
    retry,
    ...(priority === 0 || !hasPriorities ? {} : { priority }),
    resources,
  };
}

function mergeStep({ id, priority }: TemplateTask): StepDefinition {
  return {
    id: stepId(`merge-${id}`),
    action: { kind: "agent", agent: CODE_AGENTS.merge },
    dependsOn: [after("prepare"), after(`session-${id}`)],
    input: {
      task: `\${ input.tasks."${id}" }`,
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      work: `\${ steps."session-${id}".output }`,
    },
    ...(priority === 0 ? {} : { priority }),
    resources: { merges: 1 },
  };
}

function moreTasksStep(tasks: readonly TemplateTask[]): StepDefinition {
  return {
    id: stepId(MORE_TASKS),
    action: { kind: "agent", agent: CODE_AGENTS.tasks },
    dependsOn: [after("prepare"), ...tasks.map(({ id }) => after(`merge-${id}`))],
    input: {
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      known: tasks.map(({ id }) => ({ id })),
    },
  };
}

function landStep(tasks: readonly TemplateTask[]): StepDefinition {
  return {
    id: stepId("land"),
    action: { kind: "agent", agent: CODE_AGENTS.land },
    dependsOn: [after("prepare"), ...tasks.map(({ id }) => after(`merge-${id}`)), after(MORE_TASKS)],
    input: { workflow: "${ steps.prepare.output }", settings: "${ input.settings }" },
    resources: { merges: 1 },
  };
}

function after(step: string): DependencyDefinition {
  return { step: stepId(step), on: "succeeded" };
}
