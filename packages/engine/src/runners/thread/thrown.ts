// Serializes a thrown value on a worker thread and rebuilds an error on the main thread. The rebuilt error is a plain
// `Error`, not an instance of its JavaScript class. The fields that decide its failure class are kept (FAIL-1): name,
// message, code, status, and those of its causes. So is the stack, for people.

import { boundedText } from "@segno/kernel/mask-and-cut";

/** As many causes as classification reads. */
const CAUSES_MAX = 16;

const ERROR_FIELDS = ["name", "message", "code", "status", "statusCode", "retryAfterMs", "stack"] as const;

type ErrorFields = Readonly<Partial<Record<(typeof ERROR_FIELDS)[number], string | number>>>;

export type Thrown =
  | { readonly kind: "text"; readonly text: string }
  /** The error first, then its causes. */
  | { readonly kind: "error"; readonly chain: readonly ErrorFields[] };

/** Any value may be thrown, even an object that throws when it is read. */
export function serializeThrown(error: unknown): Thrown {
  try {
    if (typeof error !== "object" || error === null) return { kind: "text", text: boundedText(String(error)) };
    return { kind: "error", chain: causeChain(error).map(readFields) };
  } catch {
    return { kind: "text", text: "the thrown value cannot be read" };
  }
}

export function deserializeThrown(thrown: Thrown): unknown {
  if (thrown.kind === "text") return thrown.text;
  return thrown.chain.reduceRight<Error | undefined>((cause, { message, stack = "", ...fields }) => {
    const text = typeof message === "string" ? message : "";
    return Object.assign(new Error(text, cause === undefined ? {} : { cause }), { ...fields, stack });
  }, undefined);
}

/** Reads a thrown value that a worker thread sent; undefined if it is not one. */
export function readThrown(thrown: unknown): Thrown | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  const { kind, text, chain } = thrown as Readonly<Record<string, unknown>>;
  if (kind === "text") return typeof text === "string" ? { kind, text: boundedText(text) } : undefined;
  if (kind !== "error" || !Array.isArray(chain)) return undefined;
  return { kind, chain: chain.filter(isObject).slice(0, CAUSES_MAX).map(readFields) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
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

function readFields(error: object): ErrorFields {
  const fields: Partial<Record<(typeof ERROR_FIELDS)[number], string | number>> = {};
  for (const name of ERROR_FIELDS) {
    const value = (error as Readonly<Record<string, unknown>>)[name];
    if (typeof value === "number") fields[name] = value;
    if (typeof value === "string") fields[name] = boundedText(value);
  }
  return fields;
}
