// Another workflow as the work of a step, of each item of a map, or of an iteration.
//
//   CW1. The input of the child is that of the step: a template, or the workflow's input if the step has none. The compiler cannot
//        check it. A function as the second argument of `child` is checked (decision 63).
//   CW2. Such a function is a step of its own, `_input-<id>`: its value is recorded, and the child's own schema checks it.
//   CW3. In a map, each item is the input of the child, as in a contract with `input: ${ item }`.

import { SegnoError, type Json } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { hasMethods, isObject } from "../checks/option-rules.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { HandlerContext, StepContext } from "../agents/step-context.ts";
import type { ActionEntry, EntryWork, StepEntry } from "./step-entry.ts";
import type { StepOptions } from "./step-options.ts";

/** `Given` is the type of the child's input; `Outputs` and `Input` are the arguments of the function that gives it. */
export interface ChildWork<Result, Given = never, Outputs = unknown, Input = unknown> {
  readonly kind: "child";
  /** The name of the workflow, or `name@version`. */
  readonly workflow: string;
  /** The workflow to register together with the calling workflow. */
  readonly child?: BuiltWorkflow;
  readonly input?: (context: HandlerContext<Outputs, Input>) => unknown;
  /** Never present at run time: they carry the types. */
  readonly result?: Result;
  readonly given?: (input: Given) => void;
}

/** A built workflow, with the types of its input and its output. */
interface TypedChild<Given, Output> extends Omit<BuiltWorkflow, "types"> {
  readonly types?: { readonly given: Given; readonly output: Output };
}

/**
 * Runs another workflow as one step, with the step's `input`. The workflow is given by name or as a built workflow.
 *
 * @example
 * ```ts
 * import { child, Engine, workflow } from "segno";
 *
 * const parcel = workflow<{ what: string }>("parcel")
 *   .step("wrap", ({ input }) => `${input.what} in paper`)
 *   .output(({ outputs }) => outputs.wrap);
 * const order = workflow<{ thing: string }>("order")
 *   .step("send", { input: { what: "${ input.thing }" } }, child(parcel))
 *   .output(({ outputs }) => outputs.send);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(order, { thing: "a kettle" });
 * console.log(await execution.result()); // a kettle in paper
 * ```
 */
export function child<Output = Json>(workflow: string): ChildWork<Output, unknown>;
export function child<Given, Output>(workflow: TypedChild<Given, Output>): ChildWork<Output, Given>;
/**
 * The same with a function that returns the input of the workflow, which the compiler checks:
 *
 * ```ts
 * .step("pack", { dependsOn: ["build"] }, child(pack, ({ outputs }) => ({ path: outputs.build.path })))
 * ```
 */
export function child<Outputs, Input, Given, Output>(
  workflow: TypedChild<Given, Output>,
  input: (context: HandlerContext<Outputs, Input>) => NoInfer<Given> | Promise<NoInfer<Given>>,
): ChildWork<Output, Given, Outputs, Input>;
export function child(
  workflow: string | TypedChild<unknown, unknown>,
  input?: (context: HandlerContext<never, never>) => unknown,
): ChildWork<unknown, unknown, never, never> {
  if (input !== undefined && typeof input !== "function")
    throw new SegnoError(
      "DEFINITION_INVALID",
      `the input of a child must be a function, not ${describeValue(input)}; a template is the option \`input\` of the step`,
    );
  const own = input === undefined ? {} : { input };
  if (typeof workflow === "string") return { kind: "child", workflow, ...own };
  if (!isBuilt(workflow)) throw notBuilt(workflow);
  const { name, version } = workflow.definition;
  const reference = version === undefined ? name : `${name}@${version}`;
  return { kind: "child", workflow: reference, child: workflow, ...own };
}

/** An untyped caller may pass any value. */
function isBuilt(value: unknown): value is BuiltWorkflow {
  if (!isObject(value)) return false;
  const { definition, agents } = value as Partial<BuiltWorkflow>;
  return isObject(definition) && hasMethods(agents, "get", "entries");
}

function notBuilt(found: unknown): SegnoError {
  const hint = isObject(found) && "steps" in found ? "; register a definition with the engine, and name it here" : "";
  const message = `a child must be the name of a workflow or the result of \`workflow(...)\`, not ${describeValue(found)}${hint}`;
  return new SegnoError("DEFINITION_INVALID", message);
}

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
