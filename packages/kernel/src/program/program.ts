// A program: a compiled definition, with its graph, parsed expressions and policies. It is built once and shared by all executions
// of that definition.

import type { Problem } from "../errors/problem.ts";
import type { ApproveAction, Definition, JsonSchema, MergeMode, StepDefinition } from "../model/definition.ts";
import type { RetryPolicy } from "../model/policy.ts";
import type { DurationMs } from "../model/units.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import type { Reference } from "../data/jmespath/references.ts";
import type { CompiledTemplate } from "../data/template.ts";
import type { VariablePath } from "../data/variable-path.ts";
import type { Graph } from "../graph/graph.ts";
import type { Order } from "../graph/order.ts";

/** A compiled workflow: its graph, its order and its parsed expressions. */
export interface Program {
  readonly definition: Definition;
  readonly graph: Graph;
  readonly order: Order;
  /** The number of enabled steps that each step waits for at the start (STATE-3). */
  readonly unmet: Int32Array;
  readonly steps: readonly CompiledStep[];
  readonly columns: StepColumns;
  readonly output: CompiledRead | undefined;
  /** Every step that writes a variable, in plan order: writes are applied in this order (DATA-10). */
  readonly writers: readonly Writer[];
  readonly readOnly: readonly VariablePath[];
  readonly strict: boolean;
}

/** The values that every turn reads of every step, by step index (`step-columns.ts`). */
export interface StepColumns {
  /** 1 if a step is a plain call (`step-columns.ts`). */
  readonly ordinary: Uint8Array;
  /** The timeout of an attempt, if the step has one. */
  readonly timeouts: readonly (DurationMs | undefined)[];
  /** The agent that a step calls, if it calls one. */
  readonly agents: readonly (string | undefined)[];
}

/** The result of compiling a definition. */
export type CompileResult =
  | { readonly kind: "program"; readonly program: Program }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

export interface CompiledStep {
  readonly definition: StepDefinition;
  readonly work: CompiledWork;
  readonly when: CompiledCondition | undefined;
  /** The input of the runner: input, env, argv and the like. */
  readonly call: CompiledRead | undefined;
  readonly capture: CompiledCapture | undefined;
  readonly retry: RetryPolicy;
  /** The index of the fallback, or -1. */
  readonly fallback: number;
  /** The index of the step that this one is the fallback of, or -1. */
  readonly primary: number;
  /** STATE-6: the step has a settled dependency; such a step still runs while the execution fails. */
  readonly isCleanUp: boolean;
  readonly compensation: CompiledStep | undefined;
}

/** The work of a step when it is ready. */
export type CompiledWork =
  | { readonly kind: "call" }
  | { readonly kind: "barrier" }
  | {
      readonly kind: "signal";
      readonly signal: string;
      readonly schema: JsonSchema | undefined;
      readonly timeout: DurationMs | undefined;
    }
  | { readonly kind: "duration"; readonly for: DurationMs }
  | { readonly kind: "time"; readonly until: CompiledRead }
  | { readonly kind: "approval"; readonly approve: ApproveAction; readonly message: CompiledRead | undefined }
  | {
      readonly kind: "items";
      readonly over: CompiledCondition;
      readonly template: Program;
      readonly result: number;
      readonly tolerance: Tolerance;
      /** Items at once; all of them if undefined. */
      readonly concurrency: number | undefined;
      /** The label of an item. */
      readonly label: CompiledRead | undefined;
    }
  | RepeatWork
  | { readonly kind: "workflow"; readonly workflow: string };

/** The program of the steps inside a step: those of a map or a repetition. */
export function programInside(work: CompiledWork): Program | undefined {
  return work.kind === "items" || work.kind === "repeat" ? work.template : undefined;
}

/** STATE-13. */
export interface RepeatWork {
  readonly kind: "repeat";
  readonly template: Program;
  /** The index of the step whose output is the output of an iteration. */
  readonly result: number;
  readonly until: CompiledCondition | undefined;
  readonly isEndedByHandler: boolean;
  readonly max: number;
}

export interface Tolerance {
  readonly count: number;
  /** A share of all items, from 0 to 1. */
  readonly share: number;
}

/** A template with its references, which are found once. */
export interface CompiledRead {
  readonly template: CompiledTemplate;
  readonly references: readonly Reference[];
}

export interface CompiledCondition {
  readonly expression: Expression;
  readonly references: readonly Reference[];
}

export interface CompiledCapture {
  readonly select: Expression | undefined;
  readonly schema: JsonSchema | undefined;
  readonly to: VariablePath | undefined;
  readonly merge: MergeMode;
}

export interface Writer {
  readonly step: number;
  readonly path: VariablePath;
  readonly merge: MergeMode;
  /** Only the writer itself sees the write (DATA-4). */
  readonly isPrivate: boolean;
}
