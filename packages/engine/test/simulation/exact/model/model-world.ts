// What an execution of the reference model sees of the world.

import type { Definition } from "@segno/kernel";
import type { Act } from "../act.ts";
import type { ModelAdmission } from "./model-admission.ts";
import type { ModelExecution } from "./model-execution.ts";
import type { ModelStep } from "./model-step.ts";

export interface ModelWorld {
  readonly nowMs: number;
  readonly admission: ModelAdmission;
  /** At a later time, in a turn of the execution. */
  at(atMs: number, execution: ModelExecution, work: () => void): void;
  /** At this time, when what goes on now is over, in a turn of the execution. */
  later(execution: ModelExecution, work: () => void): void;
  workflow(name: string): Definition;
  act(execution: ModelExecution, step: ModelStep, attempt: number): Act;
  /** What happens next depends on an order that is not specified. */
  cannotTell(why: string): void;
}
