// A reference of a JSON Schema to a part of the same schema: `#` and `#/a/b`. Other references are not resolved.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, isJsonObject, type Json } from "../../model/json.ts";

export function localReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!/^#(?:\/|$)/u.test(reference)) return undefined;
  let current: Json | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decodePart(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonArray(current)) current = current[Number(key)];
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return isSchema(current) ? current : undefined;
}

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
