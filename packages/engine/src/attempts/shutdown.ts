// Graceful shutdown: a closing engine records the attempts that it abandons, so that the next owner knows that there
// was no crash (FAIL-9). If the store does not accept the record, the next owner treats them as crashed.

import type { Environment } from "../clock/environment.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { AttemptOwner } from "./step-attempt.ts";

export interface ShutdownPorts {
  readonly dispatcher: Dispatcher;
  readonly environment: Environment;
  /** No turn is deciding or committing. */
  isQuiet(): boolean;
  /** Resolves when no commit is in flight. */
  untilCommitted(): Promise<void>;
}

/** The current turn, the turn that records the abandoned attempts, and one for deliveries that came between. */
const PASSES_MAX = 4;

export async function shutDown(live: Iterable<AttemptOwner>, reason: string, ports: ShutdownPorts): Promise<void> {
  for (const execution of live) shutDownOne(execution, reason, ports);
  for (let pass = 0; pass < PASSES_MAX && !ports.isQuiet(); pass++) {
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
