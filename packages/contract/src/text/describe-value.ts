// A value in the words of YAML, for the messages about a document: an author writes maps and text, and leaves a value out.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";
import { isShownWhole, quoteText } from "@segno/kernel/describe-value";

export function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return describeText(value);
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (isJsonArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return isJsonObject(value) && Object.keys(value).length === 0 ? "an empty map" : "a map";
}

function describeText(text: string): string {
  if (text === "") return "empty text";
  return isShownWhole(text) ? `the text ${quoteText(text)}` : quoteText(text);
}
