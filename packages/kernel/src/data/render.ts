// Renders a compiled template with a context into a value. Pure, and charged to fuel.

import type { Failure } from "../model/failure.ts";
import { formatJsonPath, isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "../model/json.ts";
import type { SecretPath } from "../model/secret-path.ts";
import { evaluate } from "./jmespath/evaluate.ts";
import { inBackticks, type Expression } from "./jmespath/expression.ts";
import { createFuel, type Fuel } from "./jmespath/fuel.ts";
import { listReferences } from "./jmespath/references.ts";
import { renderUrl } from "./render-url.ts";
import type { CompiledTemplate, UrlPart } from "./template.ts";

export type Rendered =
  | { readonly kind: "value"; readonly value: Json; readonly secrets: readonly SecretPath[] }
  | { readonly kind: "failure"; readonly failure: Failure };

/** `strict` makes a missing value an error instead of null (DATA-5). */
export function render(template: CompiledTemplate, context: JsonObject, strict: boolean): Rendered {
  const rendering = new Rendering(context, strict);
  const value = rendering.render(template, []);
  if (rendering.failure !== undefined) return { kind: "failure", failure: rendering.failure };
  return { kind: "value", value, secrets: rendering.secrets };
}

export type Computed =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "failure"; readonly failure: Failure };

/** Evaluates one expression over any data, with its own fuel. `strict` makes a missing value an error (DATA-5). */
export function compute(expression: Expression, data: Json, fuel: Fuel = createFuel(), strict = false): Computed {
  const result = evaluate(expression, data, fuel, strict);
  if (result.kind === "value") return result;
  const message = `${result.message} in ${inBackticks(expression.source)}`;
  return { kind: "failure", failure: { class: "permanent", code: result.code, message } };
}

class Rendering {
  readonly secrets: SecretPath[] = [];
  failure: Failure | undefined = undefined;
  readonly #context: JsonObject;
  readonly #strict: boolean;
  readonly #fuel: Fuel = createFuel();

  constructor(context: JsonObject, strict: boolean) {
    this.#context = context;
    this.#strict = strict;
  }

  render(template: CompiledTemplate, path: JsonPath): Json {
    switch (template.kind) {
      case "literal":
        return template.json;
      case "secret":
        this.secrets.push({ path, secret: template.name });
        return null;
      case "expression":
        return this.#evaluate(template.expression, path);
      case "text":
        return template.parts
          .map((part) => (typeof part === "string" ? part : asText(this.#evaluate(part, path))))
          .join("");
      case "url":
        return this.#url(template.parts, path);
      case "list":
        return template.items.map((item, index) => this.render(item, [...path, index]));
      case "object":
        return Object.fromEntries(template.entries.map(([key, value]) => [key, this.render(value, [...path, key])]));
    }
  }

  #url(parts: readonly UrlPart[], path: JsonPath): Json {
    const values = parts.map((part) => (typeof part === "string" ? part : this.#evaluate(part.expression, path)));
    // A URL that is one value keeps its type, so that the message for a value that is not text can name its type.
    if (typeof parts[0] === "object" && parts[0].component === "whole") return values[0]!;
    if (this.failure !== undefined) return null;
    const rendered = renderUrl(parts, values.map(urlText));
    if (rendered.kind === "url") return rendered.url;
    const part = parts[rendered.part]!;
    const source = typeof part === "string" ? part : part.expression.source;
    const message = `the value of ${inBackticks(source)} cannot be used in the URL: it ${rendered.reason}`;
    this.failure = { class: "permanent", code: "HTTP_URL_VALUE", message, path: formatJsonPath(path) };
    return null;
  }

  #evaluate(expression: Expression, path: JsonPath): Json {
    if (this.failure !== undefined) return null;
    const result = compute(expression, this.#context, this.#fuel);
    if (result.kind === "failure") {
      this.failure = { ...result.failure, path: formatJsonPath(path) };
      return null;
    }
    if (result.value === null && this.#strict && isMissing(expression, this.#context)) {
      this.failure = missing(expression, path);
    }
    return result.value;
  }
}

function missing(expression: Expression, path: JsonPath): Failure {
  const { source } = expression;
  const message = `${inBackticks(source)} has no value, and the workflow is strict; give a default with ${inBackticks(`${source} || 'default'`)}`;
  return { class: "permanent", code: "TEMPLATE_MISSING", message, path: formatJsonPath(path) };
}

/** A null that exists in the data is a value; a null for a missing path is missing. */
function isMissing(expression: Expression, context: JsonObject): boolean {
  const { root } = expression;
  if (root.kind === "path") return !pathExists(root.steps, context);
  const references = listReferences(expression);
  return references.length === 1 && !pathExists(references[0]!.path, context);
}

function pathExists(path: readonly (string | number)[], context: JsonObject): boolean {
  let current: Json | undefined = context;
  for (const step of path) {
    if (typeof step === "number") current = isJsonArray(current) ? current.at(step) : undefined;
    else current = isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current !== undefined;
}

/** Null becomes an empty text in a URL: the word `null` would be the name of something else. */
function urlText(value: Json): string {
  return value === null ? "" : asText(value);
}

function asText(value: Json): string {
  if (typeof value === "string") return value;
  return isJsonArray(value) || isJsonObject(value) || value === null ? JSON.stringify(value) : String(value);
}

/** Truth as in JMESPath: false, null and empty values are false. */
export function isTruthy(value: Json): boolean {
  if (value === null || value === false || value === "") return false;
  if (isJsonArray(value)) return value.length > 0;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}
