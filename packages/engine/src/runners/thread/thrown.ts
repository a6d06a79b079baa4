// What was thrown on one thread, as data, and as an error again on the other. Classes do not cross; what classifying an error
// looks at does (FAIL-1): name, message, code, status, and the same of its causes.

/** No more causes than are looked at. */
const CAUSES_MAX = 16;
/** What is longer does not cross. It is not cut: half a secret would be left, and only the other side knows secrets. */
const MESSAGE_MAX = 1_000_000;

const TRAITS = ["name", "message", "code", "status", "statusCode", "retryAfterMs"] as const;

type Traits = Readonly<Partial<Record<(typeof TRAITS)[number], string | number>>>;

export type Thrown =
  | { readonly kind: "text"; readonly text: string }
  /** The error first, then its causes. */
  | { readonly kind: "error"; readonly chain: readonly Traits[] };

/** Anything may be thrown, also something that throws when it is looked at. */
export function thrownBy(error: unknown): Thrown {
  try {
    if (typeof error !== "object" || error === null) return { kind: "text", text: whole(String(error)) };
    return { kind: "error", chain: causeChain(error).map(readTraits) };
  } catch {
    return { kind: "text", text: "what was thrown cannot be read" };
  }
}

export function errorFrom(thrown: Thrown): unknown {
  if (thrown.kind === "text") return thrown.text;
  return thrown.chain.reduceRight<Error | undefined>((cause, { message, ...traits }) => {
    const text = typeof message === "string" ? message : "";
    return Object.assign(new Error(text, cause === undefined ? {} : { cause }), traits);
  }, undefined);
}

function causeChain(error: object): readonly object[] {
  const chain: object[] = [];
  let each: unknown = error;
  while (typeof each === "object" && each !== null && chain.length < CAUSES_MAX && !chain.includes(each)) {
    chain.push(each);
    each = (each as { cause?: unknown }).cause;
  }
  return chain;
}

function readTraits(error: object): Traits {
  const traits: Partial<Record<(typeof TRAITS)[number], string | number>> = {};
  for (const name of TRAITS) {
    const value = (error as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "number") traits[name] = value;
    if (typeof value === "string") traits[name] = whole(value);
  }
  return traits;
}

function whole(text: string): string {
  return text.length <= MESSAGE_MAX ? text : `a text of ${text.length} characters, which is too long to be told`;
}
