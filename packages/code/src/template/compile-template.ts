// Compiles a template to an ordinary definition (CODE-1).
//
//   D1. Each task is two steps: `session-<task>`, in which an agent works, and `merge-<task>`, which merges the work into
//       the workflow branch. A dependency waits for the merge of the other task, so a session starts with its files.
//   D2. `prepare` comes first and creates the workflow branch; `land` comes last and merges it into the base branch.
//       `more-tasks` comes before it: tasks that appeared in the task backend become steps there.
//   D3. The definition depends on the template, and in the names of the resources of merges on the branches that they are about.
//       Parameters and texts are in the input of the execution.
//   D4. Limits are resources: a session takes one place of `sessions`, an exclusive one takes all places, and merges into
//       one branch take turns. Of two tasks that touch the same files, the later one waits until the merge of the other has
//       settled (`touched-files.ts`).
//   D5. The time of a task begins with its session, not with its step, which may wait for a place (`session-clock.ts`).
//   D6. Merges on a forge need its token, so these steps declare the secret. The journal has only its name.
//   D7. If the tasks are in a task backend that other executors use too, the step of a session claims its task first, and
//       opens into the session when it has got it. So the journal says which sessions were executed here.

import {
  stepId,
  type Definition,
  type DependencyDefinition,
  type ResourceDefinition,
  type RetryDefinition,
  type StepDefinition,
} from "@segno/kernel";
import { CODE_AGENTS } from "../model/code-agents.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import { RETRY_POLICY } from "../model/retry-policy.ts";
import { referencesIn } from "./parameter-texts.ts";
import { mergeResources, type MergeResources, type MergeTargets } from "./merge-resources.ts";
import { touchedBefore } from "./touched-files.ts";
import type { CodeTemplate, TemplateTask } from "./template.ts";

/** Options of `compileTemplate`. */
export interface CompileOptions {
  /** Whether tasks run one after the other, in parallel, or in parallel except exclusive ones (`hybrid`). */
  readonly mode: "sequential" | "parallel" | "hybrid";
  /** The maximum number of tasks of a workflow that are at work at once. */
  readonly parallelTasksMax: number;
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
  retry: { attempts: RETRY_POLICY.maxAttempts, on: ["transient"] },
  hasPriorities: true,
  sessionsMax: 10,
};

/** The step that looks for tasks that appeared in the task backend. */
export const MORE_TASKS = "more-tasks";

/** Compiles a template to the definition of a workflow. */
export function compileTemplate(
  template: CodeTemplate,
  options: CompileOptions = COMPILE_DEFAULTS,
  targets?: MergeTargets,
): Definition {
  const merges = mergeResources(targets);
  const earlier = touchedBefore(template.tasks, options.hasPriorities);
  const places = options.mode === "sequential" ? 1 : options.parallelTasksMax;
  const resources: Record<string, ResourceDefinition> = {
    sessions: { kind: "capacity", capacity: places },
    [merges.tasks]: { kind: "capacity", capacity: 1 },
    [merges.landing]: { kind: "capacity", capacity: 1 },
  };
  return {
    name: template.name,
    ...(template.description === undefined ? {} : { description: template.description }),
    resources,
    agents: { [CODE_AGENTS.session]: { limits: { concurrency: options.sessionsMax } } },
    ...forgeSecrets(template.forge),
    onFailure: "finish",
    steps: [
      prepareStep(),
      ...template.tasks.flatMap((task) => {
        const taken = isAlone(task, options) ? places : 1;
        return [
          sessionStep(task, options, { places: taken, earlier: earlier.get(task.id) ?? [] }),
          { ...mergeStep(task, taken, merges), retry: options.retry, ...forgeSecrets(template.forge) },
        ];
      }),
      moreTasksStep(template.tasks, merges),
      { ...landStep(template.tasks, merges), retry: options.retry, ...forgeSecrets(template.forge) },
    ],
  };
}

/** The secrets of steps that merge (D6). */
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
  { retry, hasPriorities, claimsTasks = false }: CompileOptions,
  { places, earlier }: { readonly places: number; readonly earlier: readonly string[] },
): StepDefinition {
  const { id, title, dependsOn, priority } = task;
  return {
    id: stepId(`session-${id}`),
    // The definition does not depend on parameters (D3), so a title with one cannot be shown.
    ...(referencesIn(title).length > 0 ? {} : { name: title }),
    action: { kind: "agent", agent: claimsTasks ? CODE_AGENTS.claim : CODE_AGENTS.session },
    dependsOn: [
      after("prepare"),
      ...dependsOn.map((other) => after(`merge-${other}`)),
      ...earlier.map((other) => ({ step: stepId(`merge-${other}`), on: "settled" as const })),
    ],
    input: {
      task: `\${ input.tasks."${id}" }`,
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      artefacts: artefactsOf(dependsOn),
    },
    retry,
    ...(priority === 0 || !hasPriorities ? {} : { priority }),
    resources: { sessions: places },
  };
}

/** The results of the tasks that a task depends on, for its agent. */
function artefactsOf(dependsOn: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(dependsOn.map((other) => [other, `\${ steps."merge-${other}".output.artefact }`]));
}

/** A merge knows what its fixes need: the results of other tasks, and the places that each of their sessions takes. */
function mergeStep(
  { id, priority, dependsOn }: TemplateTask,
  places: number,
  { tasks: resource }: MergeResources,
): StepDefinition {
  return {
    id: stepId(`merge-${id}`),
    action: { kind: "agent", agent: CODE_AGENTS.merge },
    dependsOn: [after("prepare"), after(`session-${id}`)],
    input: {
      task: `\${ input.tasks."${id}" }`,
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      work: `\${ steps."session-${id}".output }`,
      artefacts: artefactsOf(dependsOn),
      places,
    },
    ...(priority === 0 ? {} : { priority }),
    resources: { [resource]: 1 },
  };
}

function moreTasksStep(tasks: readonly TemplateTask[], { tasks: mergeResource }: MergeResources): StepDefinition {
  return {
    id: stepId(MORE_TASKS),
    action: { kind: "agent", agent: CODE_AGENTS.tasks },
    dependsOn: [after("prepare"), ...tasks.map(({ id }) => after(`merge-${id}`))],
    input: {
      workflow: "${ steps.prepare.output }",
      settings: "${ input.settings }",
      known: tasks.map(({ id }) => ({ id })),
      mergeResource,
    },
  };
}

function landStep(tasks: readonly TemplateTask[], { landing }: MergeResources): StepDefinition {
  return {
    id: stepId("land"),
    action: { kind: "agent", agent: CODE_AGENTS.land },
    dependsOn: [after("prepare"), ...tasks.map(({ id }) => after(`merge-${id}`)), after(MORE_TASKS)],
    input: { workflow: "${ steps.prepare.output }", settings: "${ input.settings }" },
    resources: { [landing]: 1 },
  };
}

function after(step: string): DependencyDefinition {
  return { step: stepId(step), on: "succeeded" };
}
