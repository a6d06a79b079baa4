// How a merge waits that cannot go on yet. It uses no slot and no resource meanwhile, and a restart forgets none of it.
//
//   MW1. A merge that waits for a machine, for the checks of a forge or for a clean folder, is tried again later. Such an attempt
//        does not count, so it may wait for days, and nobody has to tell it to go on.
//   MW2. A merge whose target fails the checks without the work pauses the workflow. It is tried again after each resume, as the
//        same step, so a base may stay broken through any number of them.
//   MW3. A merge that waits for a person opens into an approval and the merge after it. A person may also answer on a forge, so
//        a step beside the approval watches the pull request there (`watch-step.ts`).

import type { RawStep } from "@segno/contract";
import { expand, type Expansion, type StepContext } from "@segno/engine";
import { CODE_AGENTS } from "../model/code-agents.ts";
import type { MergeWait } from "../model/merge-result.ts";
import { forgeSecrets } from "../template/compile-template.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { waitError } from "./permanent-error.ts";
import { stepAttempts } from "./step-attempts.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput } from "./step-values.ts";
import { waitDelay } from "./wait-delay.ts";
import { FORGE_VOTER } from "./watch-step.ts";

/** `earlier`: the wait before which this attempt was made, if this process has seen it. */
export async function waitWithMerge(
  input: MergeInput,
  { waiting, earlier }: { readonly waiting: MergeWait; readonly earlier: MergeWait | undefined },
  context: StepContext,
  runtime: StepRuntime,
): Promise<Expansion> {
  if (waiting.kind === "checks")
    throw waitError("CHECKS_PENDING", CHECKS_TEXT, await waitDelay(waiting.retryAfterMs, context, runtime));
  if (waiting.kind === "checkout") {
    const { message, retryAfterMs } = waiting;
    // The merge looks again every few seconds, and says only once why it waits.
    if (earlier?.kind !== "checkout" || earlier.message !== message)
      context.log.warn("Landing waits for a clean folder", { reason: message });
    throw waitError("CHECKOUT_BLOCKED", message, await waitDelay(retryAfterMs, context, runtime));
  }
  return waiting.kind === "approval" ? askPerson(input, waiting, context) : await pause(waiting, context, runtime);
}

const CHECKS_TEXT = "the forge has not finished the checks of the pull request";

/** MW3. */
function askPerson(
  input: MergeInput,
  waiting: Extract<MergeWait, { kind: "approval" }>,
  context: StepContext,
): Expansion {
  const { message, url, pullRequest } = waiting;
  const text = url === undefined ? message : `${message} (${url})`;
  const approval = { id: "approval", approve: { message: escapeTemplates(text) as string } };
  const again = { ...mergeAgain({ ...input, isApproved: true }, context), dependsOn: ["approval"] };
  if (pullRequest === undefined) return expand([approval, again], { result: "merge" });
  const isApproved = `\${ steps.approval.output.votes[-1].by != '${FORGE_VOTER}' }`;
  return expand(
    [approval, watchStep(input, pullRequest), { ...again, input: { ...(again.input as object), isApproved } }],
    { result: "merge" },
  );
}

function watchStep({ settings }: MergeInput, pullRequest: string): RawStep {
  return {
    id: "watch",
    agent: CODE_AGENTS.watch,
    ...forgeSecrets(settings.forge),
    // The person can still answer here if the forge refuses to tell.
    onError: "continue",
    input: escapeTemplates({ settings, pullRequest }),
  };
}

/** MW2. The pause is recorded before the attempt ends, so the next attempt starts after a resume. */
async function pause(
  { message }: Extract<MergeWait, { kind: "base-broken" }>,
  context: StepContext,
  { host }: StepRuntime,
): Promise<never> {
  context.log.error("Base is broken", { message });
  await host.executions.pause(context.execution.id);
  throw waitError("BASE_BROKEN", message, 0);
}

/** The same merge as another step. It takes turns with the same merges. */
function mergeAgain(input: MergeInput, { resources }: StepContext): RawStep {
  return {
    id: "merge",
    agent: CODE_AGENTS.merge,
    resources: { ...resources },
    ...stepAttempts(input.settings),
    ...forgeSecrets(input.settings.forge),
    input: escapeTemplates(input),
  };
}
