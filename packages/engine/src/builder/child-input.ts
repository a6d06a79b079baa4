// A function that gives the input of a child becomes a step of its own, `_input-<id>`. The input of the step reads its output (CW2).
// It has the dependencies and the condition of the step, so it sees the same outputs and is skipped with the step.

import type { StepContext } from "../agents/step-context.ts";
import type { ChildWork } from "./child-work.ts";
import type { ActionEntry, EntryWork, StepEntry } from "./step-entry.ts";
import type { StepOptions } from "./step-options.ts";

type AnyChild = ChildWork<unknown, never, never, never>;

interface GivenEntry extends ActionEntry {
  readonly work: AnyChild & { readonly input: NonNullable<AnyChild["input"]> };
}

/** The entries, with each function that gives the input of a child as an entry of its own before its step (CW2). */
export function withChildInputs(parts: readonly StepEntry[], refusal: (reason: string) => Error): readonly StepEntry[] {
  if (!parts.some(isGiven)) return parts;
  const fallbacks = new Set(parts.flatMap((part) => (part.kind === "step" ? (part.options.fallback ?? []) : [])));
  return parts.flatMap((part) => {
    if (!isGiven(part)) return [part];
    const { id, options } = part;
    if (options.input !== undefined)
      throw refusal(`step \`${id}\`: it has an \`input\` and a function that gives it; write one of them`);
    if (fallbacks.has(id))
      throw refusal(
        `step \`${id}\`: a fallback cannot have a function that gives the input; write a template as its \`input\``,
      );
    return [giving(part), called(part)];
  });
}

function isGiven(part: StepEntry): part is GivenEntry {
  const { kind, work } = part;
  return kind === "step" && typeof work !== "function" && work.kind === "child" && work.input !== undefined;
}

function inputId(id: string): string {
  return `_input-${id}`;
}

function giving({ id, options, work, condition }: GivenEntry): StepEntry {
  const { dependsOn, when, onError, enabled, priority } = options;
  // Absent options are `undefined` here and left out of the document.
  const own = { dependsOn, when, onError, enabled, priority } as StepOptions;
  const entry = { kind: "internal", id: inputId(id), options: own, work: toGiver(work) } as const;
  return condition === undefined ? entry : { ...entry, condition };
}

function called(part: GivenEntry): StepEntry {
  const { id, options, work } = part;
  const { dependsOn, when } = options;
  const { input: _, ...rest } = work;
  const source = `steps.${JSON.stringify(inputId(id))}`;
  const own = {
    ...options,
    dependsOn: [...(Array.isArray(dependsOn) ? dependsOn : []), inputId(id)],
    input: `\${ ${source}.output }`,
    ...(when === undefined ? {} : { when: `${source}.status == 'succeeded'` }),
  };
  return { ...part, options: own, work: rest };
}

function toGiver({ input, child: workflow }: GivenEntry["work"]): EntryWork {
  return async (context: StepContext) => {
    const given = await input(context as never);
    return workflow?.validate === undefined ? given : workflow.validate(given);
  };
}
