// Signals that ask the command to stop. What stopping means is for the verb to say.

import { EXIT_CODES, type ExitCode } from "../exit-code.ts";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

const EXITS: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
  SIGQUIT: EXIT_CODES.quit,
};

type Listener = (signal: StopSignal, count: number) => void;

/** Caught from the moment it is made. What comes before somebody listens is kept for them. */
export class StopSignals implements Disposable {
  readonly #catchers: readonly (readonly [StopSignal, () => void])[];
  readonly #caught: StopSignal[] = [];
  #listener: Listener | undefined;

  constructor() {
    this.#catchers = (Object.keys(EXITS) as StopSignal[]).map((signal) => {
      const catcher = (): void => {
        this.#caught.push(signal);
        this.#listener?.(signal, this.#caught.length);
      };
      process.on(signal, catcher);
      return [signal, catcher];
    });
  }

  /** Is told of each signal and how many there were, this one included. Takes the place of who listened before. */
  listen(listener: Listener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst) this.#caught.forEach((signal, place) => listener(signal, place + 1));
  }

  /** How a command ends that was asked to stop; nothing when it was not. */
  get exitCode(): ExitCode | undefined {
    const [first] = this.#caught;
    return first === undefined ? undefined : EXITS[first];
  }

  [Symbol.dispose](): void {
    for (const [signal, catcher] of this.#catchers) process.off(signal, catcher);
  }
}
