// The interface of the reference model's world to an execution.

import type { Definition } from "@segno/kernel";
import type { Act } from "../act.ts";
import type { ModelAdmission } from "./model-admission.ts";
import type { ModelExecution } from "./model-execution.ts";
import type { ModelStep } from "./model-step.ts";

export interface ModelWorld {
  readonly nowMs: number;
  readonly admission: ModelAdmission;
  /** Runs `work` at a later time, in a turn of the execution. */
  at(atMs: number, execution: ModelExecution, work: () => void): void;
  /** Runs `work` at this time after the current work, in a turn of the execution. */
  later(execution: ModelExecution, work: () => void): void;
  workflow(name: string): Definition;
  act(execution: ModelExecution, step: ModelStep, attempt: number): Act;
  /** Called if the next occurrence depends on an unspecified order. */
  cannotTell(why: string): void;
}
