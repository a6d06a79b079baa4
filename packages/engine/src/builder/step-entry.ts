// One call to a builder, as the builder keeps it until the workflow is built.

import type { NamedAgent } from "../agents/agent.ts";
import type { ChildWork } from "./child-work.ts";
import type { CallWork } from "./command.ts";
import type { FlowWork, MapWork } from "./flow-work.ts";
import type { RepeatedWork } from "./repeated-work.ts";
import type { CompensationOptions, StepOptions } from "./step-options.ts";

/**
 * One call to a builder. A map over a source becomes two entries; the first is a `source`. So does a step with a function as its
 * condition or as the input of its child; the first is `internal`.
 */
export type StepEntry = ActionEntry | CompensationEntry;

export interface ActionEntry {
  readonly kind: "step" | "source" | "internal" | "output";
  readonly id: string;
  /** The id of the step that decides whether this one runs. Its output is not among the `outputs` of this one. */
  readonly condition?: string;
  readonly options: StepOptions;
  readonly work: EntryWork;
}

interface CompensationEntry {
  readonly kind: "compensation";
  readonly id: string;
  readonly options: CompensationOptions;
  readonly work: EntryWork;
}

export type EntryWork =
  | NamedAgent<unknown>
  | CallWork<unknown>
  | FlowWork<unknown>
  | ChildWork<unknown, never, never, never>
  | MapWork<unknown, never, never>
  | RepeatedWork<unknown, never, never>
  | ((context: never) => unknown);
