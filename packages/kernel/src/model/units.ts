// Ids and units, branded so that the compiler keeps them apart.

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Milliseconds since 1970-01-01T00:00:00Z. The kernel never reads a clock; happenings carry their time. */
export type EpochMs = Branded<number, "EpochMs">;
/** A duration in milliseconds. */
export type DurationMs = Branded<number, "DurationMs">;
/** The id of an execution. */
export type ExecutionId = Branded<string, "ExecutionId">;
/** The id of a step as its author wrote it, unique within its definition. */
export type StepId = Branded<string, "StepId">;
/** The index of a step in an execution: its declaration index, or an index after those for the children of a scope. */
export type StepIndex = Branded<number, "StepIndex">;
/** `sha256:` and 64 hex digits. */
export type ContentHash = Branded<string, "ContentHash">;

/** Marks a number as milliseconds since 1970; it checks nothing. */
export const epochMs = (value: number): EpochMs => value as EpochMs;
export const durationMs = (value: number): DurationMs => value as DurationMs;
/** Marks a text as the id of an execution; it checks nothing. */
export const executionId = (value: string): ExecutionId => value as ExecutionId;
export const stepId = (value: string): StepId => value as StepId;
export const stepIndex = (value: number): StepIndex => value as StepIndex;
/** Marks a text as a content hash; it checks nothing. */
export const contentHash = (value: string): ContentHash => value as ContentHash;
