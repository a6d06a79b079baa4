// Another workflow as the work of a step, of each item of a map, or of an iteration.
//
//   CW1. The input of the child is that of the step: a template, or the workflow's input if the step has none. The compiler cannot
//        check it. A function as the second argument of `child` is checked (decision 63).
//   CW2. Such a function is a step of its own (`child-input.ts`): its value is recorded, and the child's own schema checks it.
//   CW3. In a map, each item is the input of the child, as in a contract with `input: ${ item }`.

import { SegnoError, type Json } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { hasMethods, isObject } from "../checks/option-rules.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { HandlerContext } from "../agents/step-context.ts";

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
interface Child<Given, Output> extends Omit<BuiltWorkflow, "types"> {
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
export function child<Given, Output>(workflow: Child<Given, Output>): ChildWork<Output, Given>;
/**
 * The same with a function that returns the input of the workflow, which the compiler checks:
 *
 * ```ts
 * .step("pack", { dependsOn: ["build"] }, child(pack, ({ outputs }) => ({ path: outputs.build.path })))
 * ```
 */
export function child<Outputs, Input, Given, Output>(
  workflow: Child<Given, Output>,
  input: (context: HandlerContext<Outputs, Input>) => NoInfer<Given> | Promise<NoInfer<Given>>,
): ChildWork<Output, Given, Outputs, Input>;
export function child(
  workflow: string | Child<unknown, unknown>,
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
