/** A symbol identifies a skip, not its class, because a module may load its own copy of Segno. */
const SKIP: symbol = Symbol.for("segno.skip");

/** An agent returns a skip if there is nothing to do: its step is skipped, and its dependants run (STATE-5). */
export class Skip {
  /** The reason, for the journal and for people. */
  readonly reason: string;

  constructor(reason: unknown) {
    this.reason = reasonText(reason);
    Object.defineProperty(this, SKIP, { value: true });
  }
}

/** Whether the value is marked as a skip. Its reason can still be anything, because an agent may change it. */
export function isSkip(value: unknown): value is { readonly reason: unknown } {
  return typeof value === "object" && value !== null && SKIP in value;
}

export function skipReason({ reason }: { readonly reason: unknown }): string {
  return reasonText(reason);
}

/**
 * Returns a value with which a handler skips its step. Dependants run and read null, as after a false `when`.
 *
 * @example
 * ```ts
 * import { Engine, skip, workflow } from "segno";
 *
 * const news = workflow<{ changes: number }>("news")
 *   .step("mail", ({ input }) => (input.changes === 0 ? skip("nothing has changed") : "sent"))
 *   .output(({ outputs }) => outputs.mail);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(news, { changes: 0 });
 * console.log(await execution.result()); // null
 * ```
 */
export function skip(reason: string): Skip {
  return new Skip(reason);
}

/** A reason that is not a string is ignored, because plain JavaScript can pass any value. */
function reasonText(reason: unknown): string {
  return typeof reason === "string" ? reason.toWellFormed() : "";
}
