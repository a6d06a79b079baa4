// Plans whose outcome no delay changes: they have no deadlines, no signals and no cancellations, and a failure lets the
// rest continue. Despite faults of processes and stores, each step ends as it would without them (JOURNAL-3).

import type { ActionDefinition, Definition, StepDefinition } from "@segno/kernel";
import { makePlan, type Plan } from "../exact/plan.ts";

export function makeTimelessPlan(seed: number): Plan {
  const { limits, workflows, deeds } = makePlan(seed);
  return {
    seed,
    limits,
    workflows: workflows.map(timelessWorkflow),
    deeds: deeds.filter((deed) => deed.kind === "start").map((deed) => without(deed, "key")),
    clockJumps: [],
  };
}

function without<Type extends object, Key extends keyof Type>(value: Type, key: Key): Omit<Type, Key> {
  const copy = { ...value };
  Reflect.deleteProperty(copy, key);
  return copy;
}

function timelessWorkflow(workflow: Definition): Definition {
  return { ...without(workflow, "timeout"), onFailure: "finish", steps: workflow.steps.map(timelessStep) };
}

function timelessStep(step: StepDefinition): StepDefinition {
  return { ...without(step, "timeout"), action: timelessAction(step.action) };
}

function timelessAction(action: ActionDefinition): ActionDefinition {
  if (action.kind === "map") return { ...action, steps: action.steps.map(timelessStep) };
  const isSent = action.kind === "approve" || (action.kind === "wait" && action.on === "signal");
  return isSent ? { kind: "barrier" } : action;
}
