// Checks a list of actions before it runs. Reports all problems, in the order of the list.

import { isName } from "@segno/engine";
import { isAction, ValidationError, type Action, type PlannerProblem } from "@segno/planner";
import { isSameId } from "./action-plan.ts";

/** A plan of the planner, or its actions. */
export type DispatchablePlan = readonly Action[] | { readonly actionsEmitted: readonly Action[] };

export interface PlanDemands {
  /** The target node types that have nodes; without it, any type. */
  readonly nodeTypes?: ReadonlySet<string>;
  /** Whether all dependencies of an action must be in the list. */
  readonly isOrdered: boolean;
}

export interface CheckedActions {
  readonly actions: readonly Action[];
  /** The one workflow that all actions name in their payloads. */
  readonly workflowId: string;
}

/** Throws a `ValidationError` that lists all problems. */
export function checkedActions(plan: unknown, demands: PlanDemands): CheckedActions {
  const given = toActionList(plan);
  const problems = given.flatMap((each, index) => (isAction(each) ? [] : [notAModel(index)]));
  if (problems.length > 0) throw new ValidationError("the plan", problems);
  const actions = given as readonly Action[];
  const found = actionProblems(actions, demands);
  if (found.length > 0) throw new ValidationError("the plan", found);
  return { actions, workflowId: readWorkflowId(actions[0]) ?? "none" };
}

function toActionList(plan: unknown): readonly unknown[] {
  if (Array.isArray(plan)) return plan;
  const emitted = typeof plan === "object" && plan !== null && "actionsEmitted" in plan ? plan.actionsEmitted : plan;
  if (Array.isArray(emitted)) return emitted;
  throw new ValidationError("the plan", [
    { reason: "wrong-type", path: "$", message: "expected a list of actions, or a result that has `actionsEmitted`" },
  ]);
}

function notAModel(index: number): PlannerProblem {
  const message = "is not an action that the planner made; build it again with `readAction`";
  return { reason: "not-a-model", path: `actions[${index}]`, message };
}

function actionProblems(actions: readonly Action[], demands: PlanDemands): readonly PlannerProblem[] {
  const ids = new Set(actions.map(({ actionId }) => actionId.toLowerCase()));
  const seen = new Set<string>();
  const workflow = readWorkflowId(actions[0]);
  return actions.flatMap((action, index) => {
    const at = (field: string): string => `actions[${index}].${field}`;
    const id = action.actionId.toLowerCase();
    const isRepeated = seen.has(id);
    seen.add(id);
    return [
      ...(isRepeated ? [problem("duplicate-action", at("actionId"), `${action.actionId} occurs twice`)] : []),
      ...nodeProblems(action, at, demands),
      ...workflowProblems(action, at, workflow),
      ...(demands.isOrdered ? dependencyProblems(action, at, ids) : []),
    ];
  });
}

type ActionPath = (field: string) => string;

function nodeProblems(
  { targetNodeType }: Action,
  at: ActionPath,
  { nodeTypes }: PlanDemands,
): readonly PlannerProblem[] {
  if (nodeTypes === undefined || nodeTypes.has(targetNodeType)) return [];
  const known = [...nodeTypes].join(", ");
  return [
    problem(
      "unknown-node",
      at("targetNodeType"),
      `no node is registered for \`${targetNodeType}\`; registered: ${known}`,
    ),
  ];
}

/** An execution is found by its workflow, so all its actions must name the same one. */
function workflowProblems(action: Action, at: ActionPath, workflow: string | undefined): readonly PlannerProblem[] {
  const path = at("payload.workflow_id");
  const own = readWorkflowId(action);
  if (own === undefined) return [problem("missing", path, "is required, as text")];
  return isSameId(own, workflow!)
    ? []
    : [problem("mixed-workflows", path, `is ${own}; the first action has ${workflow}`)];
}

function dependencyProblems(
  { dependencies }: Action,
  at: ActionPath,
  ids: ReadonlySet<string>,
): readonly PlannerProblem[] {
  return dependencies.flatMap((id, place) =>
    ids.has(id.toLowerCase())
      ? []
      : [problem("unknown-dependency", at(`dependencies[${place}]`), `the action ${id} is not in the plan`)],
  );
}

function problem(reason: string, path: string, message: string): PlannerProblem {
  return { reason, path, message };
}

function readWorkflowId(action: Action | undefined): string | undefined {
  const id = action?.payload["workflow_id"];
  return typeof id === "string" && isName(id) ? id : undefined;
}
