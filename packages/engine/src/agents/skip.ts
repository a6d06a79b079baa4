/** By this it is known, and not by its class: a module may have brought a Segno of its own. */
const SKIP: symbol = Symbol.for("segno.skip");

/** What a handler returns to say that there is nothing to do: its step is skipped, and its dependants run (STATE-5). */
export class Skip {
  readonly reason: string;

  /** A reason that is no text is none: programs in plain JavaScript give anything. */
  constructor(reason: unknown) {
    this.reason = typeof reason === "string" ? reason.toWellFormed() : "";
    Object.defineProperty(this, SKIP, { value: true });
  }
}

export function isSkip(value: unknown): value is Skip {
  return typeof value === "object" && value !== null && SKIP in value;
}

export function skip(reason: string): Skip {
  return new Skip(reason);
}
