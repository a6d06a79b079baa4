// GitHub's official description of its REST API. Only the operations that a test uses are compiled: the whole description
// has more than a thousand.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { sampleTemplate } from "../git/sample-templates.ts";

type Node = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Node;
}

interface Content {
  readonly content?: Readonly<
    Record<string, { readonly schema: Node; readonly examples?: Readonly<Record<string, Node>> }>
  >;
}

interface Operation {
  readonly parameters?: readonly Node[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Node>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Node;
}

const FILE = "description.json";

/** The operations of pull requests and checks. */
const USED = /^\/repos\/\{owner\}\/\{repo\}\/(?:pulls|commits|check-runs)\b/u;

/**
 * The used operations of the description with the components that they refer to. The whole has 13 MB, and a process that holds
 * it takes longer to start another one.
 */
function usedPart(): Description {
  const require = createRequire(import.meta.url);
  const file = require.resolve("@octokit/openapi/generated/api.github.com.json");
  const whole = JSON.parse(readFileSync(file, "utf8")) as Description;
  const paths = Object.fromEntries(Object.entries(whole.paths).filter(([path]) => USED.test(path)));
  const components: Record<string, Record<string, unknown>> = {};
  const waiting = [...references(paths), "#/components/schemas/basic-error"];
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    const [kind = "", name = ""] = reference.split("/").slice(2);
    const kept = (components[kind] ??= {});
    if (name in kept) continue;
    kept[name] = (whole.components[kind] as Node)[name];
    waiting.push(...references(kept[name]));
  }
  return { paths, components };
}

function references(node: unknown): readonly string[] {
  return [...JSON.stringify(node).matchAll(/"\$ref":"([^"]+)"/gu)].map(([, reference = ""]) => reference);
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  readonly body: string;
}

export class OpenApiDescription {
  readonly #description: Description;
  readonly #ajv: Ajv = new Ajv({ strict: false, logger: false, coerceTypes: false, allErrors: true });
  readonly #validators = new Map<unknown, ValidateFunction>();

  constructor() {
    const folder = sampleTemplate("description of GitHub", (made) =>
      writeFileSync(join(made, FILE), JSON.stringify(usedPart())),
    );
    this.#description = JSON.parse(readFileSync(join(folder, FILE), "utf8")) as Description;
    formats.default(this.#ajv);
  }

  /** The problems of a request: an empty list if the description allows it. */
  requestProblems(template: string, values: Readonly<Record<string, string>>, request: SeenRequest): readonly string[] {
    const operation = this.#operation(template, request.method);
    if (operation === undefined) return [`${request.method} ${template} is not described`];
    return [
      ...this.#parameterProblems(operation, values, request.query),
      ...this.#bodyProblems(operation, request),
    ].map((problem) => `${request.method} ${request.path}: ${problem}`);
  }

  /** The problems of an answer. A status that the operation does not describe has the form of an error. */
  answerProblems(template: string, method: string, status: number, body: unknown): readonly string[] {
    const described = this.#operation(template, method)?.responses[String(status)];
    const response = described === undefined ? undefined : (this.#resolve(described) as Content);
    const schema = response?.content?.["application/json"]?.schema;
    return this.#problems(schema ?? { $ref: "#/components/schemas/basic-error" }, body, `answer ${status}`);
  }

  /** The example of an answer in the description. */
  example(name: string): unknown {
    return structuredClone((this.#resolve({ $ref: `#/components/examples/${name}` }) as { value: unknown }).value);
  }

  #operation(template: string, method: string): Operation | undefined {
    return this.#description.paths[template]?.[method.toLowerCase()];
  }

  #parameterProblems(
    operation: Operation,
    values: Readonly<Record<string, string>>,
    query: URLSearchParams,
  ): readonly string[] {
    const parameters = (operation.parameters ?? []).map((each) => this.#resolve(each) as unknown as Parameter);
    const known = new Set(parameters.filter((each) => each.in === "query").map(({ name }) => name));
    const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `unknown parameter ${name}`);
    const wrong = parameters.flatMap((parameter) => {
      const value = parameter.in === "path" ? values[parameter.name] : query.get(parameter.name);
      if (value === undefined || value === null)
        return parameter.required === true ? [`parameter ${parameter.name} is missing`] : [];
      return this.#problems(parameter.schema, toValue(parameter.schema, value), `parameter ${parameter.name}`);
    });
    return [...unknown, ...wrong];
  }

  #bodyProblems({ requestBody }: Operation, { contentType, body }: SeenRequest): readonly string[] {
    if (requestBody === undefined) return body === "" ? [] : ["a body is not described"];
    if (body === "") return requestBody.required === true ? ["the body is missing"] : [];
    const type = contentType?.split(";")[0] ?? "";
    const schema = requestBody.content?.[type]?.schema;
    if (schema === undefined) return [`the content type ${type} is not described`];
    const value = JSON.parse(body) as Node;
    const known = (schema as { properties: Node }).properties;
    const unknown = Object.keys(value)
      .filter((name) => !(name in known))
      .map((name) => `unknown field ${name}`);
    return [...unknown, ...this.#problems(schema, value, "body")];
  }

  #problems(schema: Node, value: unknown, what: string): readonly string[] {
    const validate = this.#validator(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }

  #validator(schema: Node): ValidateFunction {
    const known = this.#validators.get(schema) ?? this.#ajv.compile(this.#withComponents(schema));
    this.#validators.set(schema, known);
    return known;
  }

  /** The schema as JSON Schema, with the components that it refers to. */
  #withComponents(schema: Node): Node {
    const definitions: Record<string, unknown> = {};
    const add = (reference: string): string => {
      const name = reference.split("/").at(-1)!;
      if (!(name in definitions)) {
        definitions[name] = {};
        definitions[name] = toJsonSchema(this.#resolve({ $ref: reference }), add);
      }
      return `#/$defs/${name}`;
    };
    const root = toJsonSchema(schema, add) as Node;
    return { allOf: [root], $defs: definitions };
  }

  #resolve(node: Node): Node {
    const reference = node["$ref"];
    if (typeof reference !== "string") return node;
    const names = reference.slice(2).split("/");
    const target = names.reduce<unknown>((each, name) => (each as Node)[name], this.#description);
    if (target === undefined) throw new Error(`${reference} is not in the description`);
    return this.#resolve(target as Node);
  }
}

function toValue(schema: Node, text: string): unknown {
  return schema["type"] === "integer" && /^-?\d+$/u.test(text) ? Number(text) : text;
}

/** OpenAPI 3.0 marks a schema that also allows null with `nullable`, which JSON Schema does not know. */
function toJsonSchema(node: unknown, add: (reference: string) => string): unknown {
  if (Array.isArray(node)) return node.map((each) => toJsonSchema(each, add));
  if (typeof node !== "object" || node === null) return node;
  const { nullable, example: _example, ...rest } = node as Node;
  const converted = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? add(value) : toJsonSchema(value, add),
    ]),
  );
  return nullable === true ? { anyOf: [{ type: "null" }, converted] } : converted;
}
