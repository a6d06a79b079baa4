// Registers the agents that the steps of code workflows name.

import type { Engine, StepContext } from "@segno/engine";
import type { Json } from "@segno/kernel";
import { CODE_AGENTS } from "../template/compile-template.ts";
import { runMerge } from "./merge-step.ts";
import { prepareWorkflow } from "./prepare-step.ts";
import { runSession } from "./session-step.ts";
import { lookForTasks, type TasksInput } from "./tasks-step.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeInput, CodeSettings, MergeInput, SessionInput } from "./step-values.ts";

/** Finds the ports of an execution. */
export type FindRuntime = (settings: CodeSettings, context: StepContext) => Promise<StepRuntime>;

export function registerSteps(engine: Engine, findRuntime: FindRuntime): void {
  const register = <Input extends { readonly settings: CodeSettings }>(
    name: string,
    run: (input: Input, context: StepContext, runtime: StepRuntime) => Promise<unknown>,
  ): void =>
    engine.agent(name, async (given: Json, context: StepContext) => {
      const input = given as unknown as Input;
      return run(input, context, await findRuntime(input.settings, context));
    });
  register<CodeInput>(CODE_AGENTS.prepare, prepareWorkflow);
  register<TasksInput>(CODE_AGENTS.tasks, lookForTasks);
  register<SessionInput>(CODE_AGENTS.session, runSession);
  register<MergeInput>(CODE_AGENTS.merge, runMerge);
  register<MergeInput>(CODE_AGENTS.land, runMerge);
  engine.agent(CODE_AGENTS.merged, (input) => (input as { readonly merge: Json }).merge);
}
