// The usage of a session that did not succeed. It is the last cause of the error of its step, so the journal has it (WP2).

import { isAmount, type AgentUsage } from "../agents/agent-event.ts";

const USAGE = "AgentUsage";
const TEXT = /^the agent used (\{.*\})$/u;
const CAUSES_MAX = 16;

export function usageError(usage: AgentUsage): Error | undefined {
  if (Object.keys(usage).length === 0) return undefined;
  return Object.assign(new Error(`the agent used ${JSON.stringify(usage)}`), { name: USAGE });
}

/** Adds the usage to an error that says nothing about it. */
export function withUsage(error: Error, usage: AgentUsage): Error {
  let last = error;
  for (let n = 0; n < CAUSES_MAX && last.cause instanceof Error; n++) last = last.cause;
  last.cause ??= usageError(usage);
  return error;
}

/** The usage that a failure in the journal tells. */
export function usageOfFailure(failure: FailureLike | undefined): AgentUsage {
  for (let each = failure; each !== undefined; each = each.cause)
    if (each.code === USAGE) return readUsage(TEXT.exec(each.message)?.[1] ?? "{}");
  return {};
}

function readUsage(text: string): AgentUsage {
  const usage = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(usage).filter(([, amount]) => isAmount(amount)));
}

interface FailureLike {
  readonly code: string;
  readonly message: string;
  readonly cause?: FailureLike;
}
