// JSON for people, in the format of this repository's formatter: objects over several lines, short lists on one.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

const WIDTH = 120;

/** `before` is the text already on the line, and `behind` the text that will follow. */
export function prettyJson(json: Json, indent = "", before = "", behind = ""): string {
  if (isJsonArray(json)) return list(json, indent, before, behind);
  if (!isJsonObject(json)) return JSON.stringify(json);
  const entries = Object.entries(json);
  const lines = entries.map(([key, field], place) => {
    const name = `${indent}  ${JSON.stringify(key)}: `;
    const comma = place < entries.length - 1 ? "," : "";
    return `${name}${prettyJson(field, `${indent}  `, name, comma)}${comma}`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function list(items: readonly Json[], indent: string, before: string, behind: string): string {
  const short = `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
  const isPlain = items.every((item) => !isJsonObject(item) && !isJsonArray(item));
  if (isPlain && before.length + short.length + behind.length <= WIDTH) return short;
  const inner = `${indent}  `;
  const lines = items.map((item, place) => {
    const comma = place < items.length - 1 ? "," : "";
    return `${inner}${prettyJson(item, inner, inner, comma)}${comma}`;
  });
  return `[\n${lines.join("\n")}\n${indent}]`;
}
