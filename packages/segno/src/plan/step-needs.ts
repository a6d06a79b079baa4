// The needs of a step before and while it runs: other steps, resources, secrets, an agent.

import { EDGE_KINDS, type CompiledRead, type CompiledStep, type CompiledTemplate, type Program } from "@segno/kernel";

import { omitUndefined } from "./omit-undefined.ts";
import type { NeededStep, StepNeeds } from "./plan.ts";
import type { WrittenSteps } from "./written-steps.ts";

export function stepNeeds(program: Program, index: number, written: WrittenSteps): StepNeeds {
  const compiled = program.steps[index]!;
  const { resources = {}, action } = compiled.definition;
  return {
    steps: neededSteps(program, index, written),
    resources,
    secrets: neededSecrets(compiled),
    ...omitUndefined({ agent: action.kind === "agent" ? action.agent : undefined }),
  };
}

/** Each dependency once, in the order of declaration (GRAPH-3). The verdict names the primary of a fallback. */
function neededSteps({ graph, definition }: Program, index: number, written: WrittenSteps): readonly NeededStep[] {
  const { offsets, targets, kinds } = graph.dependencies;
  const needed: NeededStep[] = [];
  for (let edge = offsets[index]!; edge < offsets[index + 1]!; edge++) {
    const on = EDGE_KINDS[kinds[edge]!]!;
    const target = targets[edge]!;
    if (on !== "fallback" && written.includes(target)) needed.push({ step: definition.steps[target]!.id, on });
  }
  return needed;
}

/** The names of secrets: declared ones, and those inside values. */
export function neededSecrets({ definition, call }: Pick<CompiledStep, "definition" | "call">): readonly string[] {
  return [...new Set([...(definition.secrets ?? []), ...secretsIn(call)])];
}

function secretsIn(read: CompiledRead | undefined): readonly string[] {
  return read === undefined ? [] : templateSecrets(read.template);
}

function templateSecrets(template: CompiledTemplate): readonly string[] {
  switch (template.kind) {
    case "secret":
      return [template.name];
    case "list":
      return template.items.flatMap(templateSecrets);
    case "object":
      return template.entries.flatMap(([, value]) => templateSecrets(value));
    case "literal":
    case "expression":
    case "text":
    case "url":
      return [];
  }
}
