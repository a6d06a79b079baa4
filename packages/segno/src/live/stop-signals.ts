// Signals that ask the command to stop. Each command decides how it stops.

import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

const EXITS: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
  SIGQUIT: EXIT_CODES.quit,
};

type Listener = (signal: StopSignal, count: number) => void;

/** Catches signals from its construction on. Signals before `listen` are kept for the first listener. */
export class StopSignals implements Disposable {
  readonly #catchers: readonly (readonly [StopSignal, () => void])[];
  readonly #caught: StopSignal[] = [];
  readonly #first = Promise.withResolvers<void>();
  #listener: Listener | undefined;

  constructor() {
    this.#catchers = (Object.keys(EXITS) as StopSignal[]).map((signal) => {
      const catcher = (): void => {
        this.#caught.push(signal);
        this.#first.resolve();
        this.#listener?.(signal, this.#caught.length);
      };
      process.on(signal, catcher);
      return [signal, catcher];
    });
  }

  /** The listener gets each signal and the number of signals so far. It replaces the previous listener. */
  listen(listener: Listener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst) this.#caught.forEach((signal, index) => listener(signal, index + 1));
  }

  /** Like `listen`, but earlier signals are not passed on: another part has handled them. */
  listenFromNow(listener: Listener): void {
    this.#listener = listener;
  }

  /** Resolves at the first signal. The listener gets that signal too. */
  get first(): Promise<void> {
    return this.#first.promise;
  }

  /** Whether something handles the signals. */
  get hasListener(): boolean {
    return this.#listener !== undefined;
  }

  /** The exit code of a command that a signal stopped; undefined without a signal. */
  get exitCode(): ExitCode | undefined {
    const [first] = this.#caught;
    return first === undefined ? undefined : EXITS[first];
  }

  [Symbol.dispose](): void {
    for (const [signal, catcher] of this.#catchers) process.off(signal, catcher);
  }
}
