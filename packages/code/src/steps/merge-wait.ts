// How a merge waits that cannot go on yet. It uses no slot and no resource meanwhile, and a restart forgets none of it.
//
//   MW1. A merge that waits for a machine, for the checks of a forge or for a clean folder, is tried again later. Such an attempt
//        does not count, so it may wait for days, and nobody has to tell it to go on.
//   MW2. A merge that waits for a person opens into an approval and the merge after it.

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { RateLimitError } from "@segno/kernel";
import type { CodeErrorCode } from "../errors/error-codes.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import type { MergeWait } from "../model/merge-result.ts";
import { forgeSecrets } from "../template/compile-template.ts";
import { escapeTemplates } from "./escape-templates.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput } from "./step-values.ts";

/** `earlier`: the wait before which this attempt was made, if this process has seen it. */
export async function waitWithMerge(
  input: MergeInput,
  { waiting, earlier }: { readonly waiting: MergeWait; readonly earlier: MergeWait | undefined },
  context: StepContext,
  runtime: StepRuntime,
): Promise<Expansion> {
  if (waiting.kind === "checks") throw new MergeWaitError("CHECKS_PENDING", CHECKS_TEXT, waiting.retryAfterMs);
  if (waiting.kind === "checkout") {
    const { message, retryAfterMs } = waiting;
    // The merge looks again every few seconds, and says only once why it waits.
    if (earlier?.kind !== "checkout" || earlier.message !== message)
      context.logger.warn("Landing waits for a clean folder", { reason: message });
    throw new MergeWaitError("CHECKOUT_BLOCKED", message, retryAfterMs);
  }
  return waiting.kind === "approval" ? askPerson(input, waiting) : await pause(input, waiting, context, runtime);
}

const CHECKS_TEXT = "the forge has not finished the checks of the pull request";

/** MW1. The kernel knows errors after which an attempt does not count by the name of rate limits. */
class MergeWaitError extends RateLimitError {
  readonly code: CodeErrorCode;

  constructor(code: CodeErrorCode, message: string, retryAfterMs: number) {
    super(message, retryAfterMs);
    this.code = code;
  }
}

/** MW2. */
function askPerson(input: MergeInput, { message, url }: Extract<MergeWait, { kind: "approval" }>): Expansion {
  const text = url === undefined ? message : `${message} (${url})`;
  const approval = { id: "approval", approve: { message: escapeTemplates(text) as string } };
  return expand([approval, { ...mergeAgain({ ...input, isApproved: true }), dependsOn: ["approval"] }], {
    result: "merge",
  });
}

async function pause(
  input: MergeInput,
  { message }: Extract<MergeWait, { kind: "base-broken" }>,
  context: StepContext,
  { host }: StepRuntime,
): Promise<Expansion> {
  context.logger.error("Base is broken", { message });
  await host.pause(context.executionId);
  return expand([mergeAgain({ ...input, takesBase: true })], { result: "merge" });
}

function mergeAgain(input: MergeInput): Parameters<typeof expand>[0][number] {
  return {
    id: "merge",
    agent: CODE_AGENTS.merge,
    resources: { merges: 1 },
    ...forgeSecrets(input.settings.forge),
    input: escapeTemplates(input),
  };
}
