// JSON: the only data in an execution (DATA-8).

/** A JSON value without parts. */
export type JsonPrimitive = string | number | boolean | null;
/** A JSON array. */
export type JsonArray = readonly Json[];
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}
/** Any JSON value. */
export type Json = JsonPrimitive | JsonArray | JsonObject;

/** A path in a value: `["steps", 3, "dependsOn", 0]`. */
export type JsonPath = readonly (string | number)[];

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** Keys that could reach a prototype in later code; no definition and no context has them. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** A path as text: `steps[3].dependsOn[0]`. */
export function formatJsonPath(path: JsonPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/u.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === "" ? "(document)" : text;
}
