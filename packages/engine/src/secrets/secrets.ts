// Resolves secrets when a step is dispatched, and adds them to the masker first (DATA-9).
//
//   K1. The masker gets a value before any other code does, even a value that arrives too late to be used.
//   K2. Concurrent requests for a secret share one answer; the source is asked once.
//   K3. A secret that is missing, too short or unavailable is a failure of the step. The failure names the secret and
//       where the source looked, and nothing of its value.
//   K4. A source that does not answer in time is abandoned. It can be asked again.

import { toFailure, SegnoError, type Failure, type TextFilter } from "@segno/kernel";
import type { Masker } from "./masker.ts";
import { getFrom, type SecretSource } from "./source.ts";
import { isMaskable, SECRET_CHARACTERS_MAX, SECRET_CHARACTERS_MIN } from "./secret-variants.ts";

const TIMEOUT_MS = 10_000;

export type SecretValues = Readonly<Record<string, string>>;

export type Resolved =
  | { readonly kind: "values"; readonly values: SecretValues }
  | { readonly kind: "failure"; readonly failure: Failure };

export type LookedUp =
  | { readonly kind: "found"; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: "failure"; readonly failure: Failure };

export interface SecretsClock {
  now(): number;
  /** Calls back once, unless the returned function is called first. */
  after(ms: number, ring: () => void): () => void;
}

export interface SecretsOptions {
  readonly source: SecretSource;
  readonly masker: Masker;
  /** How long a value is cached. The default is 0: every dispatch asks again. */
  readonly cacheMs?: number;
  readonly timeoutMs?: number;
  readonly clock?: SecretsClock;
}

type SecretMap = ReadonlyMap<string, string>;

interface Cached {
  readonly value: string;
  readonly until: number;
}

export class Secrets {
  readonly #source: SecretSource;
  readonly #masker: Masker;
  readonly #cacheMs: number;
  readonly #timeoutMs: number;
  readonly #clock: SecretsClock;
  /** Pending requests by name. */
  readonly #pending = new Map<string, Promise<SecretMap>>();
  readonly #cache = new Map<string, Cached>();

  constructor({ source, masker, cacheMs = 0, timeoutMs = TIMEOUT_MS, clock = SYSTEM_CLOCK }: SecretsOptions) {
    this.#source = source;
    this.#masker = masker;
    this.#cacheMs = cacheMs;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async resolve(names: readonly string[]): Promise<Resolved> {
    if (names.length === 0) return NOTHING;
    const wanted = [...new Set(names)];
    const found = await this.lookUp(wanted);
    if (found.kind === "failure") return found;
    const failure = this.#missing(wanted, found.values) ?? lengthFailure(wanted, found.values);
    return failure === undefined
      ? { kind: "values", values: record(wanted, found.values) }
      : { kind: "failure", failure };
  }

  /** Finds the secrets that the source has, whatever their length. It fails only if the source does not answer. */
  async lookUp(names: readonly string[]): Promise<LookedUp> {
    try {
      return { kind: "found", values: await this.#find(names) };
    } catch (error) {
      return { kind: "failure", failure: this.#masker.failure(unavailable(error, (text) => this.#masker.text(text))) };
    }
  }

  async #find(names: readonly string[]): Promise<SecretMap> {
    const values = new Map<string, string>();
    for (const name of names) this.#takeCached(name, values);
    const missing = names.filter((name) => !values.has(name));
    const toRequest = missing.filter((name) => !this.#pending.has(name));
    if (toRequest.length > 0) this.#request(toRequest);
    const responses = await Promise.all(missing.map((name) => this.#pending.get(name)!));
    for (const [each, name] of missing.entries()) {
      const value = responses[each]!.get(name);
      if (value !== undefined) values.set(name, value);
    }
    return values;
  }

  #takeCached(name: string, values: Map<string, string>): void {
    const cached = this.#cache.get(name);
    if (cached === undefined) return;
    if (cached.until > this.#clock.now()) values.set(name, cached.value);
    else this.#cache.delete(name);
  }

  #request(names: readonly string[]): void {
    const response = this.#fetch(names);
    for (const name of names) this.#pending.set(name, response);
  }

  /** Removes the pending request before it resolves, so that the caller can ask again. */
  async #fetch(names: readonly string[]): Promise<SecretMap> {
    try {
      const values = await this.#withTimeout(this.#get(names));
      this.#keep(names, values);
      return values;
    } finally {
      for (const name of names) this.#pending.delete(name);
    }
  }

  /** A source may throw synchronously, may answer with extra names, or with values that are not strings. */
  async #get(names: readonly string[]): Promise<SecretMap> {
    const values = await getFrom(this.#source, names);
    // The others are added even if one is not text (K1), and together, so that none displaces another.
    const texts = [...values.values()].filter((value) => typeof value === "string");
    this.#masker.add(...texts.filter(({ length }) => length <= SECRET_CHARACTERS_MAX));
    for (const [name, value] of values)
      if (typeof value !== "string") throw new SegnoError("SECRET_INVALID", `the secret \`${name}\` is not text`);
    return values;
  }

  #withTimeout(response: Promise<SecretMap>): Promise<SecretMap> {
    return new Promise((resolve, reject) => {
      const seconds = this.#timeoutMs / 1000;
      const late = (): void =>
        reject(new SegnoError("SECRET_UNAVAILABLE", `the source did not answer within ${seconds} seconds`));
      const drop = this.#clock.after(this.#timeoutMs, late);
      response.finally(drop).then(resolve, reject);
    });
  }

  #keep(names: readonly string[], values: SecretMap): void {
    if (this.#cacheMs <= 0) return;
    const until = this.#clock.now() + this.#cacheMs;
    for (const name of names) {
      const value = values.get(name);
      if (value !== undefined) this.#cache.set(name, { value, until });
    }
  }

  #missing(names: readonly string[], values: SecretMap): Failure | undefined {
    const missing = names.filter((name) => !values.has(name));
    if (missing.length === 0) return undefined;
    const messages = missing.map((name) => `there is no secret \`${name}\` in ${this.#source.where(name)}`);
    return { class: "permanent", code: "SECRET_MISSING", message: messages.join("; ") };
  }
}

const NOTHING: Resolved = Object.freeze({ kind: "values", values: Object.freeze(Object.create(null) as SecretValues) });

/** Without a prototype, because any name is allowed. */
function record(names: readonly string[], secrets: SecretMap): SecretValues {
  const values = Object.create(null) as Record<string, string>;
  for (const name of names) values[name] = secrets.get(name)!;
  return Object.freeze(values);
}

/** The message does not state the actual length, because that would help to guess the secret. */
function lengthFailure(names: readonly string[], values: SecretMap): Failure | undefined {
  const long = names.filter((name) => values.get(name)!.length > SECRET_CHARACTERS_MAX);
  if (long.length > 0) {
    const message = `${describeNames(long)} more than ${SECRET_CHARACTERS_MAX} characters`;
    return { class: "permanent", code: "SECRET_INVALID", message };
  }
  const short = names.filter((name) => !isMaskable(values.get(name)!));
  if (short.length === 0) return undefined;
  const message = `${describeNames(short)} fewer than ${SECRET_CHARACTERS_MIN} characters, not counting space and asterisks around them`;
  return { class: "permanent", code: "SECRET_TOO_SHORT", message };
}

function describeNames(names: readonly string[]): string {
  const list = names.map((name) => `\`${name}\``).join(", ");
  return names.length === 1 ? `the secret ${list} has` : `the secrets ${list} have`;
}

/** The cause may be any thrown value. */
function unavailable(error: unknown, maskText: TextFilter): Failure {
  const cause = safeFailure(error, maskText);
  const { retryAfter } = cause;
  return {
    class: "transient",
    code: "SECRET_UNAVAILABLE",
    message: `secrets are not available at the moment: ${cause.message}`,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause,
  };
}

function safeFailure(error: unknown, maskText: TextFilter): Failure {
  try {
    return toFailure(error, maskText);
  } catch {
    return { class: "transient", code: "Error", message: "the thrown value cannot be read" };
  }
}

const SYSTEM_CLOCK: SecretsClock = {
  now: () => performance.now(),
  after: (ms, ring) => {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};
