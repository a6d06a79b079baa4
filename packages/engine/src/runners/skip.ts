/** What a handler returns to say that there is nothing to do: its step is skipped, and its dependants run (STATE-5). */
export class Skip {
  readonly reason: string;

  /** A reason that is no text is none: programs in plain JavaScript give anything. */
  constructor(reason: unknown) {
    this.reason = typeof reason === "string" ? reason : "";
  }
}

export function skip(reason: string): Skip {
  return new Skip(reason);
}
