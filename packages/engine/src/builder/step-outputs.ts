// The types of outputs: who sees what of whom.
//
//   Y1. A dependant sees the outputs of the steps that it names, and no others (DATA-10).
//   Y2. Null is in a type exactly where it can be seen: the step may be skipped by its condition, by its own word or by
//       being disabled (STATE-5); the dependency is a settled one (STATE-6); or, in the output of the workflow, the step
//       may fail without failing the execution (STATE-7).
//   Y3. Type-checking a chain of n steps costs about n² small operations, which is a second for 200. That takes care:
//       ids are never intersected with a union of ids; what is added to `Steps` is an intersection that has no alias;
//       and no type that is a union mentions `Steps` in its alias, for the compiler carries aliases along.
//
// `Steps` is an object type: an id for each step, and its output. `Optional` are the ids of the steps that may have no
// output though the execution completes.

import type { Json } from "@segno/kernel";
import type { Expansion } from "../agents/expansion.ts";
import type { Skip } from "../agents/skip.ts";

export type NoSteps = Readonly<Record<never, never>>;

/** What becomes of a handler's result: none is null, a step that skips itself gives null (STATE-5), and further steps give what they make. */
export type Stored<Result> = Result extends Skip | undefined | void ? null : Result extends Expansion ? Json : Result;

/** A new step needs a new id. Where ids are not literals, this is found out when the workflow is built. */
export type NewId<Id extends string, Known> = string extends Known | Id
  ? Id
  : Id extends Known | "_output"
    ? `a step with this id is there already: ${Id}`
    : Id;

/** What a dependant sees of a step that it needs. */
export type OutputOf<Steps, Id> = Id extends keyof Steps ? Steps[Id] : never;

type Named<Options> = Options extends { readonly dependsOn: readonly (infer Each)[] } ? Each : never;
type NamedId<Each> = Each extends { readonly step: infer Id extends string } ? Id : Each extends string ? Each : never;
type SettledId<Each> = Each extends { readonly step: infer Id; readonly on: infer On }
  ? "settled" extends On
    ? Id
    : never
  : never;

/** What a handler gets first: the outputs of the dependencies that its options name, by their ids. */
export type DependencyOutputs<Steps, Options> = {
  readonly [Id in NamedId<Named<Options>>]: OutputOf<Steps, Id> | (Id extends SettledId<Named<Options>> ? null : never);
};

/** What the output of a workflow is made of. */
export type AllOutputs<Steps, Optional> = {
  readonly [Id in keyof Steps]: Steps[Id] | (Id extends Optional ? null : never);
};

/** One step. It is added as `Steps & Step<…>` where it is used; see Y3. */
export type Step<Id extends string, Output> = { readonly [Each in Id]: Output };

/** A fallback has no dependants, so nobody sees it any more once it stands behind another step (STATE-8). */
export type RemainingSteps<Steps, Options> = Options extends { readonly fallback: infer Fallback extends string }
  ? Omit<Steps, Fallback>
  : Steps;

/** What dependants see of a step, beside what they see of its fallback. */
export type OwnOutput<Options, Result> =
  | (Options extends { readonly output: { readonly select: string } } ? Json : Stored<Result>)
  | MaybeSkipped<Options>;

export type FallbackOutput<Steps, Options> = Options extends { readonly fallback: infer Fallback }
  ? OutputOf<Steps, Fallback>
  : never;

type MaybeSkipped<Options> = Options extends { readonly when: string }
  ? null
  : Options extends { readonly enabled: infer Enabled }
    ? false extends Enabled
      ? null
      : never
    : never;

/** The id of a step that can end without an output while the execution goes on: it may fail, or one that it needs may. */
export type OptionalId<Id extends string, Options, Optional> = Options extends { readonly onError: "continue" }
  ? Id
  : true extends IsAmong<Exclude<NamedId<Named<Options>>, SettledId<Named<Options>>>, Optional>
    ? Id
    : never;

type IsAmong<Id, Ids> = Id extends Ids ? true : never;

/** Where a step has an `input` of its own, its handler gets that in place of the workflow's. */
export type StepInput<Input, Options> = Options extends { readonly input: unknown } ? Json : Input;
