// Registers the agents that the steps of code workflows name.

import type { Engine, StepContext } from "@segno/engine";
import type { Json } from "@segno/kernel";
import { CODE_AGENTS } from "../template/compile-template.ts";
import { runMerge } from "./merge-step.ts";
import { prepareWorkflow } from "./prepare-step.ts";
import { runSession } from "./session-step.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { CodeInput, MergeInput, SessionInput } from "./step-values.ts";

/** `runtimeOf` finds the ports of an execution. */
export function registerSteps(engine: Engine, runtimeOf: (context: StepContext) => Promise<StepRuntime>): void {
  const register = <Input>(
    name: string,
    run: (input: Input, context: StepContext, runtime: StepRuntime) => Promise<unknown>,
  ): void =>
    engine.agent(name, async (input: Json, context: StepContext) =>
      run(input as unknown as Input, context, await runtimeOf(context)),
    );
  register<CodeInput>(CODE_AGENTS.prepare, prepareWorkflow);
  register<SessionInput>(CODE_AGENTS.session, runSession);
  register<MergeInput>(CODE_AGENTS.merge, runMerge);
  register<MergeInput>(CODE_AGENTS.land, runMerge);
  engine.agent(CODE_AGENTS.merged, (input) => (input as { readonly merge: Json }).merge);
}
