import type { Json } from "../../model/json.ts";

export type TypeName = "null" | "boolean" | "number" | "string" | "array" | "object";

/** The name of a value's type, as the function `type` gives it. */
export function typeName(value: Json): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "boolean" | "number" | "string" | "object";
}
