import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

/** What stands at a path; nothing where the path leads nowhere. */
export function valueAt(document: Json, path: JsonPath): Json | undefined {
  let value: Json | undefined = document;
  for (const part of path) {
    if (typeof part === "number") value = isJsonArray(value) ? value[part] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
