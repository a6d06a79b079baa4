// Converts workflows: makes steps take turns, and makes failures stop nothing (rulings 52 and 53).

import type { Definition, StepDefinition } from "@segno/kernel";
import type { Random } from "../../src/testing/random.ts";

export function withTurns(definition: Definition, chance: Random): Definition {
  const steps = definition.steps.map((step) => withFinish(step, chance));
  if (!chance.percent(50)) return { ...definition, steps };
  return { ...definition, sequential: true, steps: chance.percent(50) ? fallbacksLast(steps) : steps };
}

function withFinish(step: StepDefinition, chance: Random): StepDefinition {
  const { action } = step;
  const inner =
    action.kind === "map" ? { ...action, steps: action.steps.map((child) => withFinish(child, chance)) } : action;
  const isFinishing = step.onError === undefined && chance.percent(40);
  return { ...step, action: inner, ...(isFinishing ? { onError: "finish" as const } : {}) };
}

/** Moves fallbacks after the steps that wait for their primaries. */
function fallbacksLast(steps: readonly StepDefinition[]): readonly StepDefinition[] {
  const fallbacks = new Set(steps.map(({ fallback }) => fallback));
  const isFallback = ({ id }: StepDefinition): boolean => fallbacks.has(id);
  return [...steps.filter((step) => !isFallback(step)), ...steps.filter(isFallback)];
}
