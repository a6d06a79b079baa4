/** What a handler returns to say that there is nothing to do: its step is skipped, and its dependants run (STATE-5). */
export class Skip {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export function skip(reason: string): Skip {
  return new Skip(reason);
}
