// Injects secrets into a call at dispatch. The call in the journal has no value at these paths. The result goes only to
// a runner (DATA-1).

import { invariant, isJsonArray, isJsonObject, type Json, type JsonArray, type SecretPath } from "@segno/kernel";
import type { SecretValues } from "./secrets.ts";

/** Copies only the changed parts; the rest is shared. A missing path, or a name without a value, is a bug. */
export function injectSecrets(call: Json, paths: readonly SecretPath[], values: SecretValues): Json {
  return paths.reduce((placed, { path, secret }) => {
    invariant(Object.hasOwn(values, secret), "DATA-9", `the secret \`${secret}\` was not resolved`);
    return injectAt(placed, path, values[secret]!);
  }, call);
}

/** Recursive, because paths are only as deep as templates. */
function injectAt(json: Json, path: SecretPath["path"], value: string): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (isJsonArray(json)) return json.with(injectIn(json, key), injectAt(json[Number(key)]!, rest, value));
  invariant(isJsonObject(json) && Object.hasOwn(json, key), "DATA-9", NO_PATHS);
  const entries = Object.entries(json);
  return Object.fromEntries(
    entries.map(([each, child]) => [each, each === key ? injectAt(child, rest, value) : child]),
  );
}

function injectIn(list: JsonArray, key: string | number): number {
  invariant(typeof key === "number" && Object.hasOwn(list, key), "DATA-9", NO_PATHS);
  return key;
}

const NO_PATHS = "the path of a secret is inside the call";
