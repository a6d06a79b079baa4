// The typed builder: a workflow written in TypeScript, whose steps are functions.
//
//   W1. Every call returns a new builder and leaves the old one unchanged. A builder holds its own entry and its
//       predecessor, so n calls cost n, not n².
//   W2. A builder is already a built workflow. It is checked at its first use; `output` checks at once.
//   W3. A function step is an agent called `workflow/step`, or `workflow@version/step`. No contract can name such an
//       agent, so names cannot clash. A definition from a store finds its functions by these names.

import type { Definition, Json } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { isObject } from "../checks/option-rules.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { Agent, NamedAgent } from "../agents/agent.ts";
import type { JsonWork, NameWithJson } from "../agents/jsonified.ts";
import type { RecordedValue } from "../agents/recorded-call.ts";
import type { CompensationContext, HandlerContext } from "../agents/step-context.ts";
import { build, invalidWorkflow, OUTPUT_ID } from "./build.ts";
import type { StepEntry } from "./step-entry.ts";
import type { ChildWork } from "./child-work.ts";
import type { CallWork } from "./command.ts";
import type { FlowWork, MapWork } from "./flow-work.ts";
import type { RepeatedWork } from "./repeated-work.ts";
import { canValidate, isStandardSchema, validateInput } from "./standard-schema.ts";
import type {
  CheckedOptions,
  CompensationOptions,
  ConditionOptions,
  Dependency,
  UntypedStepOptions,
  WorkflowOptions,
} from "./step-options.ts";
import type {
  AllOutputs,
  DependencyOutputs,
  FallbackOutput,
  NewId,
  NoSteps,
  OptionalId,
  OutputOf,
  OwnOutput,
  RemainingSteps,
  Step,
  StepInput,
  Stored,
} from "./step-outputs.ts";

/** The function of a step. */
export type Handler<Outputs, Input, Result> = (context: HandlerContext<Outputs, Input>) => Result | Promise<Result>;

/** The work of a step: a function, a named agent, a command or a request, or a wait. */
export type StepWork<Outputs, Input, Result> =
  | Handler<Outputs, Input, Result>
  | NamedAgent<Result>
  | CallWork<Result>
  | FlowWork<Result>
  | ChildWork<Result, never, Outputs, Input>
  | MapWork<Result, Outputs, Input>
  | RepeatedWork<Result, Outputs, Input>;

/** The function of a compensation. */
export type CompensationHandler<Output, Input> = (context: CompensationContext<Output, Input>) => unknown;

/** An agent or a command gets the input that its options define, or else `output` and `input` as its input. */
type CompensationWork<Output, Input> = CompensationHandler<Output, Input> | NamedAgent<unknown> | CallWork<unknown>;

/** The type of the input at a start, and the type after the schema and as JSON, which steps see. */
export interface InputTypes<Given = unknown, Input = unknown> {
  readonly given: Given;
  readonly input: Input;
}

/**
 * Begins a workflow in TypeScript. Add steps to it, and give it to `engine.start`. The type argument is the type of the
 * input; a Standard Schema as `input` gives it as well.
 *
 * @example
 * ```ts
 * import { Engine, workflow } from "segno";
 *
 * const greet = workflow<{ name: string }>("greet")
 *   .step("text", ({ input }) => `Hello, ${input.name}`)
 *   .step("size", { dependsOn: ["text"] }, ({ outputs }) => outputs.text.length)
 *   .output(({ outputs }) => outputs);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(greet, { name: "Ada" });
 * console.log(await execution.result()); // { text: 'Hello, Ada', size: 10 }
 * ```
 */
export function workflow<Given = Json, Input = Given>(
  name: NameWithJson<Input>,
  options: WorkflowOptions<Given, Input> = {},
): WorkflowBuilder<InputTypes<Given, RecordedValue<Input>>> {
  return new WorkflowBuilder(name as string, options);
}

/**
 * `Steps` maps the id of each step to its output. `Optional` holds the ids of steps whose output may be missing at the
 * end.
 */
export class WorkflowBuilder<
  Types extends InputTypes,
  Steps = NoSteps,
  Optional extends string = never,
> implements BuiltWorkflow<Types["given"], null> {
  declare readonly types?: { readonly given: Types["given"]; readonly output: null };
  readonly #name: string;
  readonly #options: WorkflowOptions<unknown, unknown>;
  readonly #entries: EntryList | undefined;
  #built: BuiltWorkflow | undefined;

  constructor(name: string, options: WorkflowOptions<unknown, unknown>, chain?: EntryList) {
    this.#name = name;
    this.#options = options;
    this.#entries = chain;
  }

  /**
   * Adds a step. Its function gets the outputs of the steps that it depends on, and returns the output of the step. A
   * step without `dependsOn` starts at once.
   *
   * @example
   * ```ts
   * import { Engine, workflow } from "segno";
   *
   * let calls = 0;
   * const report = workflow("report")
   *   .step("fetch", { retry: { attempts: 3, base: "10ms" }, timeout: "30s" }, () => {
   *     if (++calls === 1) throw new Error("the server is busy");
   *     return [3, 4];
   *   })
   *   .step("sum", { dependsOn: ["fetch"] }, ({ outputs }) => outputs.fetch.reduce((sum, each) => sum + each, 0))
   *   .output(({ outputs }) => outputs.sum);
   *
   * await using engine = await Engine.open({ store: "none" });
   * const execution = await engine.start(report);
   * console.log(await execution.result(), calls); // 7 2
   * ```
   */
  step<const Id extends string, Result>(
    id: NewId<Id, keyof Steps>,
    work: StepWork<NoSteps, Types["input"], Result> & JsonWork<Result>,
  ): WorkflowBuilder<Types, Steps & Step<Id, Stored<Result>>, Optional>;
  step<
    const Id extends string,
    const Options extends UntypedStepOptions<keyof Steps & string>,
    Result,
    const Dependencies extends readonly Dependency<keyof Steps & string>[] = readonly [],
  >(
    id: NewId<Id, keyof Steps>,
    options: CheckedOptions<Options> &
      ConditionOptions<Dependencies, DependencyOutputs<Steps, { readonly dependsOn: Dependencies }>, Types["input"]>,
    work: StepWork<
      DependencyOutputs<Steps, { readonly dependsOn: Dependencies }>,
      StepInput<Types["input"], Options>,
      Result
    > &
      JsonWork<Result>,
  ): WorkflowBuilder<
    Types,
    RemainingSteps<Steps, Options> & Step<Id, OwnOutput<Options, Result> | FallbackOutput<Steps, Options>>,
    Optional | OptionalId<Id, Options, Optional>
  >;
  step(id: string, ...rest: readonly unknown[]): unknown {
    return this.#with("step", id, rest);
  }

  /**
   * Defines how to undo a step that succeeded (FAIL-8). It is not an option of the step, because it gets the step's
   * output: the compiler infers that type from the step's function, and it reads options before that.
   *
   * @example
   * ```ts
   * import { Engine, PermanentError, workflow } from "segno";
   *
   * const trip = workflow("trip", { onFailure: "compensate" })
   *   .step("hotel", () => "room 7")
   *   .compensate("hotel", ({ output }) => console.log(`${output} is cancelled`)) // room 7 is cancelled
   *   .step("flight", { dependsOn: ["hotel"] }, () => {
   *     throw new PermanentError("no seat is free");
   *   });
   *
   * await using engine = await Engine.open({ store: "none" });
   * const execution = await engine.start(trip);
   * await execution.result().catch((error: Error) => console.log(error.name)); // ExecutionError
   * ```
   */
  compensate<const Id extends keyof Steps & string>(
    id: Id,
    work: CompensationWork<OutputOf<Steps, Id>, Types["input"]>,
  ): WorkflowBuilder<Types, Steps, Optional>;
  compensate<const Id extends keyof Steps & string, const Options extends CompensationOptions>(
    id: Id,
    options: Options,
    work: CompensationWork<OutputOf<Steps, Id>, StepInput<Types["input"], Options>>,
  ): WorkflowBuilder<Types, Steps, Optional>;
  compensate(id: string, ...rest: readonly unknown[]): unknown {
    return this.#with("compensation", id, rest);
  }

  /** Defines the output of the workflow: a last durable step that sees the outputs of all steps. */
  output<Result>(
    work: Handler<AllOutputs<Steps, Optional>, Types["input"], Result> & JsonWork<Result>,
  ): BuiltWorkflow<Types["given"], Stored<Result>> {
    return this.#with("output", OUTPUT_ID, [work]).#build() as BuiltWorkflow<Types["given"], Stored<Result>>;
  }

  /** The workflow as frozen data. */
  get definition(): Definition {
    return this.#build().definition;
  }

  /** The functions of the steps, by the names that the definition uses. */
  get agents(): ReadonlyMap<string, Agent> {
    return this.#build().agents;
  }

  /** The workflows that steps call. */
  get children(): BuiltWorkflow["children"] {
    return this.#build().children;
  }

  /** Absent if the workflow has no Standard Schema. */
  get validate(): BuiltWorkflow["validate"] {
    return this.#build().validate;
  }

  #with(kind: StepEntry["kind"], id: string, rest: readonly unknown[]): WorkflowBuilder<Types> {
    const [options = {}, work] = rest.length === 1 ? [{}, rest[0]] : rest;
    const part = { kind, id, options, work } as StepEntry;
    return new WorkflowBuilder(this.#name, this.#options, { entry: part, previous: this.#entries });
  }

  #build(): BuiltWorkflow {
    this.#built ??= this.#make();
    return this.#built;
  }

  #make(): BuiltWorkflow {
    const name = this.#name;
    if (!isObject(this.#options))
      throw invalidWorkflow(name, `expected its options, an object, found ${describeValue(this.#options)}`);
    for (const key of ["name", "steps"])
      if (Object.hasOwn(this.#options, key)) throw invalidWorkflow(name, `\`${key}\` is not an option of a workflow`);
    const { input, ...options } = this.#options;
    if (input === undefined) return build({ name, ...options }, toArray(this.#entries));
    if (!isStandardSchema(input)) return build({ name, ...options, input }, toArray(this.#entries));
    if (!canValidate(input))
      throw invalidWorkflow(
        name,
        "input: expected a Standard Schema, which has a function `validate`, found one without",
      );
    const built = build({ name, ...options }, toArray(this.#entries));
    return { ...built, validate: (value) => validateInput(input, name, value) };
  }
}

/** A linked list of entries: the last one, and its predecessors. */
interface EntryList {
  readonly entry: StepEntry;
  readonly previous: EntryList | undefined;
}

function toArray(chain: EntryList | undefined): readonly StepEntry[] {
  const parts: StepEntry[] = [];
  for (let each = chain; each !== undefined; each = each.previous) parts.push(each.entry);
  return parts.toReversed();
}
