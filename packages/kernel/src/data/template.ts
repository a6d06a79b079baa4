// Templates
//
// Job: JSON whose strings may hold `${ … }`, parsed once into a tree that can be rendered many times (DATA-5).
// Not its job: knowing which roots exist or whether a step may read another; the program checks that.
//
//   T1. A string that is one expression keeps the value's type; embedded expressions become text.
//   T2. `$${` is a literal `${`.
//   T3. A secret is only ever a whole string, `${ secrets.name }`, and stays a reference (DATA-1).
//   T4. A template without expressions is one literal, however deep, and costs nothing to render.

import type { Template } from "../model/definition.ts";
import { isForbiddenKey, isJsonArray, isJsonObject, type Json, type JsonPath } from "../model/json.ts";
import type { KernelErrorCode } from "../errors/catalogue.ts";
import { parseExpression, type Expression } from "./jmespath/expression.ts";
import { listReferences, type Reference } from "./jmespath/references.ts";

/** The component of a URL that a value is part of. `base` is everything before the path; `whole` is the whole URL. */
export type UrlComponent = "whole" | "base" | "host" | "port" | "path" | "query" | "fragment";

export interface UrlValue {
  readonly expression: Expression;
  readonly component: UrlComponent;
}

export type UrlPart = string | UrlValue;

export type CompiledTemplate =
  | { readonly kind: "literal"; readonly json: Json }
  | { readonly kind: "expression"; readonly expression: Expression }
  | { readonly kind: "text"; readonly parts: readonly (string | Expression)[] }
  /** Only for the URL of an `http` step; its values are encoded. */
  | { readonly kind: "url"; readonly parts: readonly UrlPart[] }
  | { readonly kind: "secret"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly CompiledTemplate[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, CompiledTemplate])[] };

/** Receives the problems, the expressions and the secrets of a template, each with its path. */
export interface TemplateListener {
  /** `source` is the text of an expression that could not be parsed. */
  problem(code: KernelErrorCode, path: JsonPath, message: string, source?: string): void;
  expression(expression: Expression, path: JsonPath): void;
  secret(name: string, path: JsonPath): void;
}

const TEMPLATE_DEPTH_MAX = 64;
const SECRET = /^\s*secrets\.(?:([A-Za-z_][A-Za-z0-9_-]*)|"([^"\\]+)")\s*$/u;

export function compileTemplate(
  template: Template,
  path: JsonPath,
  listener: TemplateListener,
  depth = 0,
): CompiledTemplate {
  if (typeof template === "string") return compileText(template, path, listener);
  if (depth > TEMPLATE_DEPTH_MAX) {
    listener.problem("TEMPLATE_TOO_DEEP", path, `values nest deeper than ${TEMPLATE_DEPTH_MAX} levels here`);
    return literal(null);
  }
  if (isJsonArray(template)) return compileList(template, path, listener, depth);
  if (isJsonObject(template)) return compileObject(template, path, listener, depth);
  return literal(template);
}

function compileList(
  list: readonly Json[],
  path: JsonPath,
  listener: TemplateListener,
  depth: number,
): CompiledTemplate {
  const items = list.map((item, index) => compileTemplate(item, [...path, index], listener, depth + 1));
  return items.every(isLiteral) ? literal(items.map(({ json }) => json)) : { kind: "list", items };
}

function compileObject(
  object: { readonly [key: string]: Json },
  path: JsonPath,
  listener: TemplateListener,
  depth: number,
): CompiledTemplate {
  const entries = Object.entries(object).map(([key, value]) => {
    if (isForbiddenKey(key)) listener.problem("FORBIDDEN_KEY", [...path, key], `the key \`${key}\` is not allowed`);
    return [key, compileTemplate(value, [...path, key], listener, depth + 1)] as const;
  });
  // The values of the literals and not the object itself: texts in it may be written with `$${` (T2).
  return entries.every(isLiteralEntry)
    ? literal(Object.fromEntries(entries.map(([key, { json }]) => [key, json])))
    : { kind: "object", entries };
}

function literal(json: Json): CompiledTemplate {
  return { kind: "literal", json };
}

type LiteralTemplate = Extract<CompiledTemplate, { readonly kind: "literal" }>;

function isLiteral(template: CompiledTemplate): template is LiteralTemplate {
  return template.kind === "literal";
}

function isLiteralEntry(entry: readonly [string, CompiledTemplate]): entry is readonly [string, LiteralTemplate] {
  return isLiteral(entry[1]);
}

function compileText(text: string, path: JsonPath, listener: TemplateListener): CompiledTemplate {
  const pieces = split(text);
  if (pieces === undefined) {
    listener.problem("TEMPLATE_UNCLOSED", path, `\`\${\` is not closed by \`}\` in ${JSON.stringify(text)}`);
    return literal(text);
  }
  const only = pieces.length === 1 ? pieces[0] : undefined;
  const secret = only?.kind === "source" ? SECRET.exec(only.text) : null;
  if (secret !== null) return compileSecret(secret[1] ?? secret[2]!, path, listener);
  const parts = pieces.map((piece) =>
    piece.kind === "literal" ? piece.text : compileSource(piece.text, path, listener),
  );
  if (only?.kind === "source")
    return typeof parts[0] === "object" ? { kind: "expression", expression: parts[0] } : literal(null);
  return parts.every((part) => typeof part === "string") ? literal(parts.join("")) : { kind: "text", parts };
}

function compileSecret(name: string, path: JsonPath, listener: TemplateListener): CompiledTemplate {
  listener.secret(name, path);
  return { kind: "secret", name };
}

/** The expression, or an empty text if it has a problem, which is reported to the listener. */
export function compileSource(source: string, path: JsonPath, listener: TemplateListener): Expression | string {
  const parsed = parseExpression(source.trim());
  if (parsed.kind === "problem") {
    listener.problem(parsed.code, path, `${parsed.message} in \`${source.trim()}\``, source.trim());
    return "";
  }
  listener.expression(parsed.expression, path);
  return parsed.expression;
}

interface TemplatePart {
  readonly kind: "literal" | "source";
  readonly text: string;
}

/** Splits a string into literals and expression sources; undefined if an expression is not closed. */
function split(text: string): readonly TemplatePart[] | undefined {
  const pieces: TemplatePart[] = [];
  let literalText = "";
  let from = 0;
  for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", from)) {
    if (text[start - 1] === "$" && start > from) {
      literalText += `${text.slice(from, start - 1)}\${`;
      from = start + 2;
      continue;
    }
    const end = closingBrace(text, start + 2);
    if (end === undefined) return undefined;
    literalText += text.slice(from, start);
    if (literalText !== "") pieces.push({ kind: "literal", text: literalText });
    pieces.push({ kind: "source", text: text.slice(start + 2, end) });
    literalText = "";
    from = end + 1;
  }
  literalText += text.slice(from);
  if (literalText !== "" || pieces.length === 0) pieces.push({ kind: "literal", text: literalText });
  return pieces;
}

/** Finds the brace that ends an expression: not one inside quotes, and not one of a multi-select hash. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' || character === "'" || character === "`") {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === "{") depth++;
    else if (character === "}" && depth-- === 0) return at;
  }
  return undefined;
}

function closingQuote(text: string, open: number): number | undefined {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[open]) return at;
  }
  return undefined;
}

/** The references of a template: the parts of the context that it may read. */
export function templateReferences(template: CompiledTemplate): readonly Reference[] {
  switch (template.kind) {
    case "literal":
    case "secret":
      return [];
    case "expression":
      return listReferences(template.expression);
    case "text":
      return template.parts.flatMap((part) => (typeof part === "string" ? [] : listReferences(part)));
    case "url":
      return template.parts.flatMap((part) => (typeof part === "string" ? [] : listReferences(part.expression)));
    case "list":
      return template.items.flatMap(templateReferences);
    case "object":
      return template.entries.flatMap(([, value]) => templateReferences(value));
  }
}
