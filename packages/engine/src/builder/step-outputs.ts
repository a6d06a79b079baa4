// The types of step outputs: which outputs a step can see.
//
//   Y1. A dependant sees the outputs of the steps that it names, and no others (DATA-10).
//   Y2. A type contains null exactly if null is possible: the step may be skipped by its condition, by itself or
//       because it is disabled (STATE-5); the dependency is a settled one (STATE-6); or, in the output of the workflow,
//       the step may fail without failing the execution (STATE-7).
//   Y3. Type-checking a chain of n steps costs about n² small operations, which is a second for 200 steps. This needs
//       three rules: ids are never intersected with a union of ids; the type added to `Steps` is an intersection
//       without an alias; and no union type mentions `Steps` in its alias, because the compiler carries aliases along.
//       An object type that is written inline in the signature of `step` costs ten times as much, because it depends on all
//       type parameters there.
//   Y4. Editors show the types as plain objects. An alias of an object or union type would be shown by its name with all its
//       arguments; the result of a conditional type is shown itself. So the object types here are branches of conditional types.
//
// `Steps` is an object type that maps the id of each step to its output. `Optional` is the union of the ids of steps
// that may have no output although the execution completes.

import type { Json } from "@segno/kernel";
import type { Expansion } from "../agents/expansion.ts";
import type { Jsonified } from "../agents/jsonified.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { Skip } from "../agents/skip.ts";

export type NoSteps = {};

/**
 * The stored output for a handler's result: no result is null, a skip is null (STATE-5), an expansion gives the output of
 * its steps, and all else is what it is as JSON (DATA-8).
 */
export type Stored<Result> = Result extends Skip | undefined | void
  ? null
  : Result extends Expansion
    ? Json
    : Jsonified<Result>;

/** The same before it is JSON. */
export type Returned<Result> = Result extends Skip | undefined | void ? null : Result extends Expansion ? Json : Result;

/** A new step needs a new id. If ids are not literals, the check happens when the workflow is built. */
export type NewId<Id extends string, Known> = string extends Known | Id
  ? Id
  : Id extends Known
    ? `a step with this id already exists: ${Id}`
    : Id extends `_${string}`
      ? `ids that begin with _ are reserved: ${Id}`
      : Id;

/** The output of a required step, as a dependant sees it. */
export type OutputOf<Steps, Id> = Id extends keyof Steps ? Steps[Id] : never;

type Named<Options> = Options extends { readonly dependsOn: readonly (infer Each)[] } ? Each : never;
type NamedId<Each> = Each extends { readonly step: infer Id extends string } ? Id : Each extends string ? Each : never;
type SettledId<Each> = Each extends { readonly step: infer Id; readonly on: infer On }
  ? "settled" extends On
    ? Id
    : never
  : never;

/** The `outputs` of a handler: those of its dependencies, by id. */
export type DependencyOutputs<Steps, Options> =
  NamedId<Named<Options>> extends infer Ids extends string
    ? { readonly [Id in Ids]: OutputOf<Steps, Id> | (Id extends SettledId<Named<Options>> ? null : never) }
    : never;

/** The outputs that the output function of a workflow gets. */
export type AllOutputs<Steps, Optional> = {
  readonly [Id in keyof Steps]: Steps[Id] | (Id extends Optional ? null : never);
} & {};

/** One step, as a branch of a conditional type (Y4). Users write `Steps & Step<…>` inline; see Y3. */
export type Step<Id extends string, Output> = Id extends infer Own extends string
  ? { readonly [Each in Own]: Output }
  : never;

/** A fallback has no dependants, so it is removed from the visible steps once another step uses it (STATE-8). */
export type RemainingSteps<Steps, Options> = Options extends { readonly fallback: infer Fallback extends string }
  ? Omit<Steps, Fallback>
  : Steps;

/** The output type of a step for its dependants, without that of its fallback. */
export type OwnOutput<Options, Result> = [MaybeSkipped<Options>] extends [never]
  ? SelectedOutput<Options, Result>
  : SelectedOutput<Options, Result> | null;

type SelectedOutput<Options, Result> = Options extends { readonly output: { readonly select: string } }
  ? SchemaOutput<Options, Json>
  : SchemaOutput<Options, Stored<Result>>;

/** The type that a Standard Schema gives to the output, as JSON. Other schemas have no type. */
export type SchemaOutput<Options, Other> = Options extends {
  readonly output: { readonly schema: StandardSchema<unknown, infer Output> };
}
  ? Jsonified<Output>
  : Other;

export type FallbackOutput<Steps, Options> = Options extends { readonly fallback: infer Fallback }
  ? OutputOf<Steps, Fallback>
  : never;

type MaybeSkipped<Options> = Options extends { readonly when: string | ((...given: never) => unknown) }
  ? null
  : Options extends { readonly enabled: infer Enabled }
    ? false extends Enabled
      ? null
      : never
    : never;

/**
 * The id of a step that may end without an output while the execution continues: the step, or one that it requires, may
 * fail.
 */
export type OptionalId<Id extends string, Options, Optional> = Options extends { readonly onError: "continue" }
  ? Id
  : true extends IsAmong<Exclude<NamedId<Named<Options>>, SettledId<Named<Options>>>, Optional>
    ? Id
    : never;

type IsAmong<Id, Ids> = Id extends Ids ? true : never;

/** If a step has its own `input`, its handler gets that instead of the workflow's input. */
export type StepInput<Input, Options> = Options extends { readonly input: unknown } ? Json : Input;
