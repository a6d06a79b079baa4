// A value of the journal as the views show it. Its payload may have been removed (DATA-11).

import {
  isJsonArray,
  isJsonObject,
  SegnoError,
  type ContentHash,
  type Json,
  type StepStarted,
  type Value,
} from "@segno/kernel";

export type ShownValue =
  | { readonly kind: "value"; readonly json: Json }
  | { readonly kind: "removed" }
  /** The store should have the value and has not. */
  | { readonly kind: "lost" };

/** The kind of a value that the store does not have. */
export type MissingKind = Exclude<ShownValue["kind"], "value">;

export function storedHash(value: Value | undefined): readonly ContentHash[] {
  return value?.kind === "stored" ? [value.hash] : [];
}

export function toShownValue(
  value: Value,
  loaded: ReadonlyMap<ContentHash, Json>,
  missing: MissingKind,
): ShownValue | undefined {
  if (value.kind === "gathered") return undefined;
  const json = value.kind === "inline" ? value.json : loaded.get(value.hash);
  return json === undefined ? { kind: missing } : { kind: "value", json };
}

/** The kind for an error of the engine about a value; throws any other error again. */
export function missingKind(error: unknown): MissingKind {
  if (error instanceof SegnoError && error.code === "PAYLOAD_REMOVED") return "removed";
  if (error instanceof SegnoError && error.code === "STORE_CORRUPT") return "lost";
  throw error;
}

type SecretPlace = NonNullable<StepStarted["secrets"]>[number];

const HIDDEN = "***";

/** The journal has `null` in the place of a secret. */
export function withHiddenSecrets(call: Json, secrets: readonly SecretPlace[]): Json {
  return secrets.reduce<Json>((value, { path }) => hiddenAt(value, path), call);
}

function hiddenAt(value: Json, [key, ...rest]: SecretPlace["path"]): Json {
  if (key === undefined) return HIDDEN;
  if (isJsonArray(value)) return value.map((item, index) => (index === key ? hiddenAt(item, rest) : item));
  return isJsonObject(value) ? { ...value, [key]: hiddenAt(value[key] ?? null, rest) } : value;
}
