// "found …": a value in few words.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

const TEXT_MAX = 40;

export function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return value === "" ? "empty text" : `the text ${quoteText(value)}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (isJsonArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return isJsonObject(value) && Object.keys(value).length === 0 ? "an empty map" : "a map";
}

export function quoteText(text: string): string {
  return JSON.stringify(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text);
}
