/** A symbol identifies a skip, not its class, because a module may load its own copy of Segno. */
const SKIP: symbol = Symbol.for("segno.skip");

/** A handler returns a skip if there is nothing to do: its step is skipped, and its dependants run (STATE-5). */
export class Skip {
  readonly reason: string;

  /** A reason that is not a string is ignored, because plain JavaScript can pass any value. */
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
