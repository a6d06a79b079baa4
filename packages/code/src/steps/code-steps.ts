// The agents that the steps of code workflows name.

import type { AgentFunction, Engine, StepContext } from "@segno/engine";
import type { Json } from "@segno/kernel";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { claimTask } from "./claim-step.ts";
import { runMerge } from "./merge-step.ts";
import { prepareWorkflow } from "./prepare-step.ts";
import { runSession } from "./session-step.ts";
import { lookForTasks } from "./tasks-step.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeSettings } from "./step-values.ts";
import { watchPullRequest } from "./watch-step.ts";

/** Finds the ports of an execution. */
export type FindRuntime = (settings: CodeSettings, context: StepContext) => Promise<StepRuntime>;

type RunStep<Input> = (input: Input, context: StepContext, runtime: StepRuntime) => Promise<unknown>;

/** The agents by name. */
export function codeSteps(findRuntime: FindRuntime): Readonly<Record<string, AgentFunction>> {
  const step =
    <Input extends { readonly settings: CodeSettings }>(run: RunStep<Input>): AgentFunction =>
    async (given, context) => {
      const input = given as unknown as Input;
      return run(input, context, await findRuntime(input.settings, context));
    };
  return {
    [CODE_AGENTS.prepare]: step(prepareWorkflow),
    [CODE_AGENTS.tasks]: step(lookForTasks),
    [CODE_AGENTS.claim]: step(claimTask),
    [CODE_AGENTS.session]: step(runSession),
    [CODE_AGENTS.merge]: step(runMerge),
    [CODE_AGENTS.land]: step(runMerge),
    [CODE_AGENTS.watch]: step(watchPullRequest),
    [CODE_AGENTS.merged]: (input) => (input as { readonly merge: Json }).merge,
  };
}

export function registerSteps(engine: Engine, findRuntime: FindRuntime): void {
  for (const [name, run] of Object.entries(codeSteps(findRuntime))) engine.agent(name, run);
}
