// The hooks of a server, with the source of their secrets.

import { createHash } from "node:crypto";

import type { SecretSource } from "@segno/engine";
import { createFuel, evaluate, SegnoError, type Expression, type Json } from "@segno/kernel";

import { RequestError } from "../errors/problem.ts";
import { checkSignature, type SignedRequest } from "./hook-signature.ts";
import type { CheckedHook } from "./hook.ts";

/** A request of a hook after its signature was checked: the action, its input, and the key by which it counts once. */
export interface HookCall {
  readonly action:
    | { readonly kind: "start"; readonly workflow: string }
    | { readonly kind: "signal"; readonly signal: string; readonly execution: string };
  readonly input: Json;
  /** Unique for the hook and the key of the request. It has the form of an idempotency key (IDEM-1). */
  readonly key: string;
}

export class Hooks {
  readonly #hooks: ReadonlyMap<string, CheckedHook>;
  readonly #secrets: SecretSource;

  constructor(hooks: ReadonlyMap<string, CheckedHook>, secrets: SecretSource) {
    this.#hooks = hooks;
    this.#secrets = secrets;
  }

  /** Throws SECRET_MISSING if a hook has no secret: it would refuse every request. */
  async assertSecrets(): Promise<void> {
    for (const hook of this.#hooks.values()) await this.#secretOf(hook);
  }

  /** Checks the signature first (HK1). */
  async read(name: string, request: SignedRequest & { readonly body: Json }): Promise<HookCall> {
    const hook = this.#hooks.get(name);
    if (hook === undefined) throw new SegnoError("HOOK_UNKNOWN", `the server has no hook \`${name}\``);
    checkSignature(request, hook.signature, await this.#secretOf(hook));
    const { action, input } = hook;
    return {
      action:
        action.kind === "start"
          ? action
          : { ...action, execution: textOf("the id of the execution", valueOf(action.execution, request.body)) },
      input: valueOf(input, request.body),
      key: keyOf(hook, request),
    };
  }

  async #secretOf({ name, secret }: CheckedHook): Promise<string> {
    const value = (await this.#secrets.get([secret])).get(secret);
    if (value !== undefined && value !== "") return value;
    throw new SegnoError(
      "SECRET_MISSING",
      `the hook \`${name}\` needs the secret \`${secret}\`, and there is none in ${this.#secrets.where(secret)}`,
    );
  }
}

function keyOf({ name, key }: CheckedHook, { header, body }: SignedRequest & { readonly body: Json }): string {
  const value = "header" in key ? header(key.header.toLowerCase()) : valueOf(key.expression, body);
  const text = textOf("the key of the request", value);
  return `hook-${createHash("sha256")
    .update(JSON.stringify([name, text]))
    .digest("hex")}`;
}

function valueOf(expression: Expression, body: Json): Json {
  const result = evaluate(expression, body, createFuel());
  if (result.kind === "value") return result.value;
  throw invalid(`the expression \`${expression.source}\` fails for this body: ${result.message}`);
}

function textOf(what: string, value: Json | undefined): string {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  throw invalid(`${what} is missing, or is neither text nor a number`);
}

function invalid(detail: string): RequestError {
  return new RequestError(detail, [{ detail, pointer: "" }]);
}
