// The secrets that a definition names, so that missing ones can be reported before a start.

import {
  compileOrThrow,
  programInside,
  type CompiledStep,
  type CompiledTemplate,
  type CompiledWork,
  type Definition,
  type Program,
} from "@segno/kernel";

/** Each name once, in order: the declared names, then those of the steps. */
export function listSecretNames(
  definition: Definition,
  program: Program = compileOrThrow(definition),
): readonly string[] {
  return [...new Set([...(definition.secrets ?? []), ...namesOfSteps(program)])];
}

function namesOfSteps({ steps }: Program): readonly string[] {
  return steps.flatMap(namesOfStep);
}

function namesOfStep({ definition, call, work, compensation }: CompiledStep): readonly string[] {
  return [
    ...(definition.secrets ?? []),
    ...(call === undefined ? [] : namesOfTemplate(call.template)),
    ...namesInside(work),
    ...(compensation === undefined ? [] : namesOfStep(compensation)),
  ];
}

function namesInside(work: CompiledWork): readonly string[] {
  const inside = programInside(work);
  return inside === undefined ? [] : namesOfSteps(inside);
}

/** Recursive, because the compiler limits the depth of templates. */
function namesOfTemplate(template: CompiledTemplate): readonly string[] {
  switch (template.kind) {
    case "secret":
      return [template.name];
    case "list":
      return template.items.flatMap(namesOfTemplate);
    case "object":
      return template.entries.flatMap(([, value]) => namesOfTemplate(value));
    case "literal":
    case "expression":
    case "text":
    case "url":
      return [];
  }
}
