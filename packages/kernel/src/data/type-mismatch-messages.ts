// Messages for a value of the wrong type. They name the expression that gave the value.

import type { Json } from "../model/json.ts";
import { describeKind } from "./describe-value.ts";
import { inBackticks, type Expression } from "./jmespath/expression.ts";
import type { CompiledTemplate } from "./template.ts";

export function notAListMessage({ source }: Expression, found: Json): string {
  return `${inBackticks(source)} gave ${describeKind(found)}, not a list`;
}

/** A literal time is quoted as it is; for a time from data, the message adds an example of the expected form. */
export function notATimeMessage(template: CompiledTemplate, found: Json): string {
  const example = "no time such as `2030-01-31T09:00:00Z`";
  if (template.kind === "expression")
    return `${inBackticks(template.expression.source)} gave ${showValue(found)}, which is ${example}`;
  const sources = template.kind === "text" ? template.parts.filter((part) => typeof part !== "string") : [];
  if (sources.length === 0) return `${showValue(found)} is no time`;
  const origin = sources.map(({ source }) => inBackticks(source)).join(" and ");
  return `${showValue(found)}, made of ${origin}, is ${example}`;
}

const SHOWN_MAX = 80;

/** The value itself if it is short; otherwise its type. */
function showValue(found: Json): string {
  if (typeof found === "string") return found.length > SHOWN_MAX ? "a long text" : JSON.stringify(found);
  return found !== null && typeof found === "object" ? describeKind(found) : String(found);
}
