// The part that a step has in a code workflow, read from its agent and its place (CODE-1).
//
//   CS1. The agent of a step decides its role. The task is in the id of the step at the top: `session-<task>`, `merge-<task>`.
//   CS2. A question is an approval below a merge. A session below a merge is a fix.
//   CS3. Tasks that appeared in the task backend have their steps below `more-tasks`, which count as steps at the top.

import { agentName, compiledStep, stepName, type State } from "@segno/kernel";
import { CODE_AGENTS } from "../model/code-agents.ts";

export interface CodeStep {
  readonly role: "prepare" | "claim" | "session" | "merge" | "question";
  /** The name of the step, such as `merge-api/fix`. */
  readonly name: string;
  /** The id of the step at the top. */
  readonly top: string;
  readonly isTop: boolean;
  /** Undefined for steps of the whole workflow: `prepare` and `land`. */
  readonly taskId: string | undefined;
}

const ROLES: Readonly<Record<string, "prepare" | "claim" | "session" | "merge">> = {
  [CODE_AGENTS.prepare]: "prepare",
  [CODE_AGENTS.claim]: "claim",
  [CODE_AGENTS.session]: "session",
  [CODE_AGENTS.merge]: "merge",
  [CODE_AGENTS.land]: "merge",
};

const PREFIXES: Readonly<Record<string, string>> = {
  [CODE_AGENTS.claim]: "session-",
  [CODE_AGENTS.session]: "session-",
  [CODE_AGENTS.merge]: "merge-",
};

/** Undefined for a step that has no part in a code workflow, such as a wait. */
export function codeStep(state: State, step: number): CodeStep | undefined {
  const name = stepName(state, step);
  const topStep = findTop(state, step);
  const top = stepName(state, topStep);
  const topAgent = agentName(state, topStep);
  const role = ROLES[agentName(state, step) ?? ""] ?? (isQuestion(state, step) ? "question" : undefined);
  if (ROLES[topAgent ?? ""] === undefined || role === undefined) return undefined;
  const prefix = PREFIXES[topAgent!];
  const id = top.slice(top.lastIndexOf("/") + 1);
  const taskId = prefix !== undefined && id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
  return { role, name, top, isTop: name === top, taskId };
}

/** CS3. */
function findTop(state: State, step: number): number {
  for (let top = step; ;) {
    const parent = parentStep(state, top);
    if (parent < 0 || agentName(state, parent) === CODE_AGENTS.tasks) return top;
    top = parent;
  }
}

/** The steps at the top in which agents work on tasks. */
export function sessionSteps(state: State): readonly number[] {
  const { program, regions } = state;
  const first = program.steps.flatMap((_, step) => (isTaskAgent(program.columns.agents[step]) ? [step] : []));
  return [...first, ...regions.flatMap(({ parent }) => (parent < 0 ? [] : addedSessions(state, parent)))];
}

/** The sessions of the tasks that a step found in the task backend; none for any other step. */
export function addedSessions(state: State, parent: number): readonly number[] {
  const region = state.regions.findLast((each) => each.parent === parent);
  if (region === undefined || agentName(state, parent) !== CODE_AGENTS.tasks) return [];
  const steps = Array.from({ length: region.size }, (_, index) => region.base + index);
  return steps.filter((step) => isTaskAgent(agentName(state, step)));
}

function isTaskAgent(name: string | undefined): boolean {
  return name === CODE_AGENTS.session || name === CODE_AGENTS.claim;
}

/** The step that opened into this one; -1 for a step at the top. */
export function parentStep(state: State, step: number): number {
  return state.regions.findLast(({ base }) => base <= step)!.parent;
}

function isQuestion(state: State, step: number): boolean {
  return compiledStep(state, step).work.kind === "approval";
}
