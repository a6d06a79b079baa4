// Sources of secrets: the environment, a file or a folder, a function, or several of them in turn (DATA-9).
//
//   Q1. A source is asked at each dispatch, so that a changed secret takes effect.
//   Q2. A source says where it looked, and never what it found, neither in errors nor in warnings.
//   Q3. A missing secret is left out; a source that cannot be asked throws. After a failure the next source is not
//       asked, because the failed one might have had another value.

import { types } from "node:util";
import { SegnoError } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";

/** A place in which an engine looks for secrets. */
export interface SecretSource {
  /** Returns the secrets that the source has. */
  get(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The place in which the source looks for a secret; a message puts it after "there is no secret … in". */
  where(name: string): string;
}

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const PREFIX = "SEGNO_SECRET_";

/** `npm-token` is looked up as `SEGNO_SECRET_NPM_TOKEN`, then as `npm-token`. An empty variable counts as absent. */
export function environmentSecrets(environment: EnvironmentVariables, prefix: string = PREFIX): SecretSource {
  const withPrefix = (name: string): string => prefix + name.toUpperCase().replaceAll("-", "_");
  const lookUp = (name: string): string | undefined =>
    Object.hasOwn(environment, name) ? environment[name] || undefined : undefined;
  return {
    get: async (names) => collectSecrets(names, (name) => lookUp(withPrefix(name)) ?? lookUp(name)),
    where: (name) => `\`${withPrefix(name)}\` and \`${name}\` of the environment`,
  };
}

/** Returns a secret by name, or undefined if there is none. */
export type SecretProvider = (name: string) => string | undefined | Promise<string | undefined>;

/** A function as a source, for example a client of a vault. */
export function providedSecrets(provider: SecretProvider): SecretSource {
  return {
    get: async (names) => {
      const values = await Promise.all(names.map(async (name) => checkSecret(name, await provider(name))));
      return collectSecrets(names, (_, each) => values[each]);
    },
    where: () => "the function that provides secrets",
  };
}

/** An untyped function may return any value. */
function checkSecret(name: string, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return undefined;
  throw new SegnoError(
    "SECRET_INVALID",
    `expected the secret \`${name}\` to be text, but the function provided ${describeKind(value)}`,
  );
}

/** The answer of a source. An untyped source may answer with any value, and the error does not show that value (Q2). */
export async function getFrom(source: SecretSource, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const values = await source.get(names);
  if (types.isMap(values)) return values;
  throw new SegnoError(
    "SECRET_INVALID",
    `expected \`get\` of a source of secrets to return a Map of names and values, but it returned ${describeKind(values)}`,
  );
}

/** Takes each secret from the first source that has it. */
export function firstSource(sources: readonly SecretSource[]): SecretSource {
  return {
    get: async (names) => {
      const values = new Map<string, string>();
      for (const source of sources) {
        const missing = names.filter((name) => !values.has(name));
        if (missing.length === 0) break;
        for (const [name, value] of await getFrom(source, missing)) values.set(name, value);
      }
      return values;
    },
    where: (name) => sources.map((source) => source.where(name)).join(", then in ") || "no source",
  };
}

function collectSecrets(
  names: readonly string[],
  valueOf: (name: string, each: number) => string | undefined,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [each, name] of names.entries()) {
    const value = valueOf(name, each);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}
