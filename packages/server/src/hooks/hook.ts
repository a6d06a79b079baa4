// Hooks: requests of other systems that start a workflow or send a signal.
//
//   HK1. Every hook has a secret, and a request without a valid signature over its raw body does nothing.
//   HK2. A request counts once by its key. A copied request is refused when it is old, or has the key of the first one: a hook whose
//        signature has no time must therefore have a key.

import { parseExpression, SegnoError, type Expression } from "@segno/kernel";
import { z } from "zod";

/** How the requests of a hook are signed. The default is `standard`. */
export type HookSignature =
  /**
   * Standard Webhooks: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. A request that is older or newer than
   * `toleranceMs` is refused; the default is five minutes.
   */
  | { readonly kind: "standard"; readonly toleranceMs?: number }
  /** HMAC-SHA256 of the body in hexadecimal digits, in this header and after this prefix. */
  | { readonly kind: "body"; readonly header: string; readonly prefix?: string };

/** The key by which a request counts once: a header, or an expression over the body. */
export type HookKey = { readonly header: string } | { readonly expression: string };

/** A hook: how its requests are checked, and what they do. It either starts a workflow or sends a signal. */
export interface Hook {
  /** The name of the secret with which requests are signed. */
  readonly secret: string;
  readonly signature?: HookSignature;
  /** The default is the header `webhook-id`, if the signature is `standard`. */
  readonly key?: HookKey;
  /** The workflow to start. */
  readonly start?: string;
  /** The signal to send; `execution` is an expression over the body that gives the id of the execution. */
  readonly signal?: { readonly name: string; readonly execution: string };
  /** An expression over the body that gives the input of the workflow or the payload of the signal. The default is the body. */
  readonly input?: string;
}

const nameText = z.string().min(1).max(255);
const hookSchema = z.strictObject({
  secret: nameText,
  signature: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("standard"), toleranceMs: z.int().min(1000).optional() }),
      z.strictObject({ kind: z.literal("body"), header: nameText, prefix: z.string().optional() }),
    ])
    .optional(),
  key: z.union([z.strictObject({ header: nameText }), z.strictObject({ expression: nameText })]).optional(),
  start: nameText.optional(),
  signal: z.strictObject({ name: nameText, execution: nameText }).optional(),
  input: nameText.optional(),
});

/** A hook that was checked, with its expressions parsed. */
export interface CheckedHook {
  readonly name: string;
  readonly secret: string;
  readonly signature: HookSignature;
  readonly key: { readonly header: string } | { readonly expression: Expression };
  readonly input: Expression;
  readonly action:
    | { readonly kind: "start"; readonly workflow: string }
    | { readonly kind: "signal"; readonly signal: string; readonly execution: Expression };
}

/** Throws OPTION_INVALID with the name of the hook and the place of the fault. */
export function checkHooks(hooks: Readonly<Record<string, Hook>>): ReadonlyMap<string, CheckedHook> {
  return new Map(Object.entries(hooks).map(([name, hook]) => [name, checkHook(name, hook)]));
}

function checkHook(name: string, given: Hook): CheckedHook {
  if (!/^[\w.-]{1,128}$/u.test(name)) throw invalid(name, "a name has 1 to 128 letters, digits and . _ -");
  const result = hookSchema.safeParse(given);
  if (!result.success)
    throw invalid(name, result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  const { secret, signature = { kind: "standard" }, key, start, signal, input = "@" } = given;
  if ((start === undefined) === (signal === undefined)) throw invalid(name, "it needs either `start` or `signal`");
  if (signature.kind === "body" && key === undefined)
    throw invalid(name, "its signature has no time, so it needs a `key` by which a copied request is recognised");
  return {
    name,
    secret,
    signature,
    key: checkKey(name, key ?? { header: "webhook-id" }),
    input: parse(name, "input", input),
    action:
      signal === undefined
        ? { kind: "start", workflow: start! }
        : { kind: "signal", signal: signal.name, execution: parse(name, "signal.execution", signal.execution) },
  };
}

function checkKey(name: string, key: HookKey): CheckedHook["key"] {
  return "header" in key ? key : { expression: parse(name, "key.expression", key.expression) };
}

function parse(name: string, place: string, source: string): Expression {
  const parsed = parseExpression(source);
  if (parsed.kind === "problem") throw invalid(name, `${place}: ${parsed.message}`);
  return parsed.expression;
}

function invalid(name: string, problem: string): SegnoError {
  return new SegnoError("OPTION_INVALID", `the hook \`${name}\`: ${problem}`);
}
