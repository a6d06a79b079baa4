// Following an execution in the foreground: it is shown until it ends, and whoever sits there can stop it.
//
//   A1. Ctrl-C or SIGTERM once cancels, and says so; the execution has its grace. Once more forces: it is cancelled without
//       grace, and when that does not end it at once, the command ends without it.
//   A2. A terminal that is closed, SIGQUIT, and output that nobody reads any more cancel nothing: the execution is let go, and
//       goes on with `segno work`. Its commands are ended.
//   A3. `--timeout` cancels, too, and ends with 124.
//   A4. Where another process runs the execution, that one may be stopped, or gone to sleep. When it has not taken the
//       cancellation some time after the grace, the command ends without it; the cancellation stays posted.

import type { CancelOptions } from "@segno/engine";

import { EXIT_CODES, exitCodeOfExecution, type ExitCode } from "../exit-code.ts";
import { durationText } from "../plan/duration-text.ts";
import { safeText } from "../terminal/safe-text.ts";
import { onBrokenPipe } from "../terminal/terminal.ts";
import { follow, type FollowOptions } from "./follow.ts";
import type { StopSignal, StopSignals } from "./stop-signals.ts";

export interface ForegroundOptions extends FollowOptions {
  readonly signals: StopSignals;
  /** What a step has to clean up, for people. */
  readonly graceMs: number;
  readonly timeoutMs?: number;
}

/** How it came to an end here; the execution itself may go on when it was let go. */
export interface ForegroundResult {
  readonly exitCode: ExitCode;
  readonly isDetached: boolean;
}

/** How long forcing may take before the command ends without it. */
const FORCE_MS = 2000;

export async function runForeground(options: ForegroundOptions): Promise<ForegroundResult> {
  const { progress, view, signals, graceMs, timeoutMs } = options;
  const { promise: letGo, resolve: leave } = Promise.withResolvers<"detached">();
  const canceller = new ForegroundCanceller(options, () => leave("detached"));
  signals.listen((signal, count) => canceller.stop(signal, count, graceMs));
  onBrokenPipe(() => leave("detached"));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => canceller.timeOut(timeoutMs), timeoutMs);
  try {
    const end = await Promise.race([follow(options), letGo]);
    view.close();
    const isLetGo = end === "detached";
    if (!isLetGo && progress.status === "completed") return { exitCode: EXIT_CODES.ok, isDetached: isLetGo };
    const forced = canceller.isTimedOut ? EXIT_CODES.timeout : signals.exitCode;
    const left = isLetGo ? EXIT_CODES.hungUp : exitCodeOfExecution(progress.status, progress.failure);
    return { exitCode: forced ?? left, isDetached: isLetGo };
  } finally {
    clearTimeout(timer);
    view.close();
  }
}

class ForegroundCanceller {
  readonly #options: ForegroundOptions;
  readonly #detach: () => void;
  isTimedOut = false;

  constructor(options: ForegroundOptions, leave: () => void) {
    this.#options = options;
    this.#detach = leave;
  }

  stop(signal: StopSignal, count: number, graceMs: number): void {
    const { view } = this.#options;
    if (signal === "SIGHUP" || signal === "SIGQUIT") return this.#detach();
    if (count === 1) {
      const grace = durationText(graceMs);
      view.printNote(`cancelling; steps have ${grace} to clean up; press Ctrl-C again to force`);
      this.#cancel({ reason: signal === "SIGINT" ? "interrupted with Ctrl-C" : "ended by SIGTERM" });
      this.#detachFromSilentOwner();
      return;
    }
    view.printNote("forcing it to end");
    this.#cancel({ reason: "forced", graceMs: 0 });
    setTimeout(this.#detach, FORCE_MS).unref();
  }

  timeOut(timeoutMs: number): void {
    this.isTimedOut = true;
    const reason = `it took longer than ${durationText(timeoutMs)} (--timeout)`;
    this.#options.view.printNote(`cancelling: ${reason}`);
    this.#cancel({ reason });
    this.#detachFromSilentOwner();
  }

  /** A4. The execution ends within its grace where somebody takes the cancellation. */
  #detachFromSilentOwner(): void {
    const { engine, graceMs } = this.#options;
    if (!engine.isOwner) setTimeout(this.#detach, graceMs + FORCE_MS).unref();
  }

  #cancel(options: CancelOptions): void {
    const { handle, view } = this.#options;
    // One that has just ended is told by its events.
    handle.cancel(options).catch((error: unknown) => {
      view.printNote(`it cannot be cancelled: ${safeText((error as Error).message)}`);
    });
  }
}
