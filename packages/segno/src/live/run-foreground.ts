// Follows an execution in the foreground until it ends, and handles signals.
//   A1. The first Ctrl-C or SIGTERM cancels the execution, which has its grace period. The second cancels it without grace; if
//       the execution does not end soon, the command exits without it. A signal that comes while the
//       engine closes leaves it a second.
//   A2. A closed terminal, SIGQUIT and a broken output pipe cancel nothing: the command detaches, its child processes are
//       ended, and `segno work` resumes the execution.
//   A3. `--timeout` cancels the execution, and the command exits with 124.
//   A4. If another process runs the execution, that process may be stopped or suspended. If it has not consumed the
//       cancellation some time after the grace period, the command exits; the cancellation stays posted.

import type { CancelOptions } from "@segno/engine";

import { EXIT_CODES, exitCodeOfExecution, type ExitCode } from "../errors/exit-code.ts";
import { durationText } from "../plan/duration-text.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { safeText } from "../terminal/safe-text.ts";
import { onBrokenPipe } from "../terminal/terminal.ts";
import { Follower, type FollowOptions } from "./follower.ts";
import type { StopSignal, StopSignals } from "./stop-signals.ts";

export interface ForegroundOptions extends FollowOptions {
  readonly signals: StopSignals;
  /** The grace period of steps, shown to the user. */
  readonly graceMs: number;
  readonly timeoutMs?: number;
}

/** The outcome of the command. A detached execution may still be unfinished. */
export interface ForegroundResult {
  readonly exitCode: ExitCode;
  readonly isDetached: boolean;
  /** Absent if the command ended before the first event. */
  readonly execution?: FollowedExecution | undefined;
}

/** The time that a forced cancellation may take before the command exits without it. */
const FORCE_MS = 2000;

export async function runForeground(options: ForegroundOptions): Promise<ForegroundResult> {
  const { view, signals, graceMs, timeoutMs } = options;
  const { promise: letGo, resolve: leave } = Promise.withResolvers<"detached">();
  const canceller = new ForegroundCanceller(options, () => leave("detached"));
  signals.listen((signal, count) => canceller.stop(signal, count, graceMs));
  onBrokenPipe(() => leave("detached"));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => canceller.timeOut(timeoutMs), timeoutMs);
  try {
    const follower = new Follower(options);
    const end = await Promise.race([follower.untilEnd(), letGo]);
    view.close();
    const forced = canceller.isTimedOut ? EXIT_CODES.timeout : signals.exitCode;
    if (end === "detached")
      return { exitCode: forced ?? EXIT_CODES.hungUp, isDetached: true, execution: follower.execution };
    const { status, failure } = end;
    const exitCode = status === "completed" ? EXIT_CODES.ok : (forced ?? exitCodeOfExecution(status, failure));
    return { exitCode, isDetached: false, execution: end };
  } finally {
    clearTimeout(timer);
    view.close();
  }
}

type CancellerOptions = Pick<ForegroundOptions, "engine" | "graceMs" | "handle" | "view">;

class ForegroundCanceller {
  readonly #options: CancellerOptions;
  readonly #detach: () => void;
  isTimedOut = false;

  constructor(options: CancellerOptions, leave: () => void) {
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
    view.printNote("forcing the execution to end");
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

  /** An owner that consumes the cancellation ends the execution within its grace period (A4). */
  #detachFromSilentOwner(): void {
    const { engine, graceMs } = this.#options;
    if (!engine.isOwner) setTimeout(this.#detach, graceMs + FORCE_MS).unref();
  }

  #cancel(options: CancelOptions): void {
    const { handle, view } = this.#options;
    // Events report an execution that has just ended.
    handle.cancel(options).catch((error: unknown) => {
      view.printNote(`cannot cancel: ${safeText((error as Error).message)}`);
    });
  }
}
