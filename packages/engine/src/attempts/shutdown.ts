// Giving up in order: an engine that closes writes down what it left running, so that whoever goes on with it knows that it was
// no crash (FAIL-9). What the store does not take at that moment is found by the next owner, who takes it for one.

import type { Environment } from "../clock/environment.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { AttemptOwner } from "./step-attempt.ts";

export interface ShutdownPorts {
  readonly dispatcher: Dispatcher;
  readonly environment: Environment;
  /** Nothing is being decided or written. */
  isQuiet(): boolean;
  /** Resolves when nothing is on its way to the store. */
  untilCommitted(): Promise<void>;
}

/** A turn that is under way, the one that gives up, and one more for whatever came between. */
const ROUNDS = 4;

export async function shutDown(live: Iterable<AttemptOwner>, reason: string, ports: ShutdownPorts): Promise<void> {
  for (const execution of live) shutDownOne(execution, reason, ports);
  for (let round = 0; round < ROUNDS && !ports.isQuiet(); round++) {
    await new Promise<void>((resolve) => ports.environment.defer(resolve));
    await ports.untilCommitted();
  }
}

function shutDownOne(execution: AttemptOwner, reason: string, { dispatcher, environment }: ShutdownPorts): void {
  const attempts = Array.from(execution.attempts.values(), ({ stepIndex, epoch }) => ({ step: stepIndex, epoch }));
  if (attempts.length === 0) return;
  dispatcher.cancelAttempts(execution, reason);
  const at = environment.now();
  for (const attempt of attempts) execution.post({ kind: "lost", at, ...attempt, reason, graceful: true });
}
