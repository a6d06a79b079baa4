import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

/** Returns the value at a path, or nothing if the path does not exist. */
export function valueAt(document: Json, path: JsonPath): Json | undefined {
  let value: Json | undefined = document;
  for (const part of path) {
    if (typeof part === "number") value = isJsonArray(value) ? value[part] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
