import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

/** Turns `/a/0` into a path into this value, in which an index of a list is a number. */
export function pointerPath(pointer: string, value: Json): JsonPath {
  const path: (string | number)[] = [];
  let current: Json | undefined = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(isJsonArray(current) ? Number(key) : key);
    if (isJsonArray(current)) current = current[Number(key)];
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return path;
}
