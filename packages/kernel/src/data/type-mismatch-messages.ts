// Messages for a value of the wrong type. They name the expression that gave the value.

import type { Json } from "../model/json.ts";
import { describeKind } from "./describe-value.ts";
import { inBackticks, type Expression } from "./jmespath/expression.ts";
import type { CompiledTemplate } from "./template.ts";

export function notAListMessage({ source }: Expression, value: Json): string {
  return `${inBackticks(source)} evaluated to ${describeKind(value)}, not a list`;
}

export function notAFlagMessage({ source }: Expression, value: Json): string {
  return `${inBackticks(source)} evaluated to ${describeKind(value)}, not true or false`;
}

/** A literal time is quoted as it is; for a time from data, the message adds an example of the expected form. */
export function notATimeMessage(template: CompiledTemplate, value: Json): string {
  const example = "not a time such as `2030-01-31T09:00:00Z`";
  if (template.kind === "expression")
    return `${inBackticks(template.expression.source)} evaluated to ${showValue(value)}, which is ${example}`;
  const sources = template.kind === "text" ? template.parts.filter((part) => typeof part !== "string") : [];
  if (sources.length === 0) return `${showValue(value)} is not a time`;
  const origin = sources.map(({ source }) => inBackticks(source)).join(" and ");
  return `${showValue(value)}, rendered from ${origin}, is ${example}`;
}

const SHOWN_MAX = 80;

/** The value itself if it is short; otherwise its type. */
function showValue(value: Json): string {
  if (typeof value === "string") return value.length > SHOWN_MAX ? "a long text" : JSON.stringify(value);
  return value !== null && typeof value === "object" ? describeKind(value) : String(value);
}
