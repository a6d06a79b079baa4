// URL templates: a URL with values in it, each encoded for the component that it is part of.
//
// Job: determines before anything runs which component each expression belongs to, and refuses values that would leave it.
// Not its job: sending requests, or deciding which addresses may be reached.
//
//   U1. A value never changes more than its own component: in a path it is part of one segment, in a query part of one key or
//       value.
//   U2. The origin (scheme, host and port) is literal, or a value is the whole of the origin, of the host or of the port. A value
//       beside other characters of the host is refused, because it could change the host.
//   U3. A segment with a value in it is never `.` or `..`, not in encoded form either, and not after a server has decoded a `/` in it.
//   U4. A segment made of values is never empty. A null is an empty text in a URL, so it is refused as a segment, and in a query
//       it leaves the value empty.

import type { Expression } from "./jmespath/expression.ts";
import type { CompiledTemplate, UrlComponent, UrlPart } from "./template.ts";

export type UrlTemplate =
  | { readonly kind: "url"; readonly parts: readonly UrlPart[]; readonly hasLiteralOrigin: boolean }
  /** A value would be part of the origin. */
  | { readonly kind: "refused"; readonly expression: Expression };

/** Scheme, host and port, followed by a path, a query or a fragment. */
const ORIGIN = /^https?:\/\/(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?=[/?#])/u;
const SCHEME = /^https?:\/\/$/u;
const HOST = /^https?:\/\/(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\]):$/u;
const AFTER_HOST = /^(?::\d{1,5})?(?:[/?#]|$)/u;
const AFTER_ORIGIN = /^(?:[/?#]|$)/u;

/** Undefined if the URL has no values. */
export function compileUrl(template: CompiledTemplate): UrlTemplate | undefined {
  if (template.kind === "expression")
    return { kind: "url", parts: [{ expression: template.expression, component: "whole" }], hasLiteralOrigin: false };
  if (template.kind !== "text") return undefined;
  const origin = findOrigin(template.parts);
  if (origin === undefined)
    return { kind: "refused", expression: template.parts.find((part) => typeof part !== "string")! };
  return { kind: "url", parts: partsAfterOrigin(template.parts, origin), hasLiteralOrigin: origin.length === 0 };
}

/** The components of the values that form the origin; empty if the origin is literal, undefined if it is not allowed. */
function findOrigin([first, second, third, fourth = ""]: readonly (string | Expression)[]):
  | readonly UrlComponent[]
  | undefined {
  if (first === undefined) return undefined;
  const follows = (part: string | Expression | undefined, pattern: RegExp): boolean =>
    part === undefined || (typeof part === "string" && pattern.test(part));
  if (typeof first !== "string") return follows(second, AFTER_ORIGIN) ? ["base"] : undefined;
  if (ORIGIN.test(first)) return [];
  if (HOST.test(first)) return follows(third, AFTER_ORIGIN) ? ["port"] : undefined;
  if (!SCHEME.test(first)) return undefined;
  if (follows(third, AFTER_HOST)) return ["host"];
  return third === ":" && typeof fourth !== "string" ? ["host", "port"] : undefined;
}

function partsAfterOrigin(
  parts: readonly (string | Expression)[],
  origin: readonly UrlComponent[],
): readonly UrlPart[] {
  let component: UrlComponent = "path";
  let values = 0;
  return parts.map((part, index) => {
    if (typeof part !== "string") return { expression: part, component: origin[values++] ?? component };
    // The slashes of the scheme come before the first value and never begin a query.
    const isInOrigin = values < origin.length && index === 0;
    if (!isInOrigin) component = componentAfter(part, component);
    return part;
  });
}

function componentAfter(literal: string, before: UrlComponent): UrlComponent {
  if (before === "fragment" || literal.includes("#")) return "fragment";
  return before === "query" || literal.includes("?") ? "query" : "path";
}
