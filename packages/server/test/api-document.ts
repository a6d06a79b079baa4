// The OpenAPI document as a judge: every answer that a test gets is checked against what the document says about it.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface MediaContent {
  readonly schema?: object;
}

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, MediaContent>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface SeenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

const PROBLEM = { $ref: "#/components/schemas/Problem" };

export class ApiDocument {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: true, allErrors: true, strictTypes: false, keywords: ["components"] });
  readonly #checks = new Map<object, ValidateFunction>();

  constructor(document: object) {
    this.#document = document as OpenApi;
  }

  /** Every schema of the document, compiled; a reference that leads nowhere throws. */
  compileAll(): number {
    for (const path of Object.values(this.#document.paths))
      for (const { responses } of Object.values(path))
        for (const { content = {} } of Object.values(responses))
          for (const { schema } of Object.values(content)) if (schema !== undefined) this.#check(schema);
    return this.#checks.size;
  }

  /** What is wrong with an answer; empty if nothing is. */
  faults(answer: SeenAnswer): readonly string[] {
    const { method, path, status, text } = answer;
    const type = answer.contentType?.split(";")[0] ?? "";
    const operation = this.#operation(method, path);
    const documented =
      operation?.responses[String(status)] ?? (status >= 400 ? operation?.responses["default"] : undefined);
    if (operation !== undefined && documented === undefined) return [`the status ${status} is not documented`];
    if (status >= 400 && documented?.content?.["application/json"] === undefined)
      return this.#problemFaults(answer, type);
    if (documented === undefined) return ["a route that is not documented answered"];
    if (method === "HEAD" || documented.content === undefined) return text === "" ? [] : ["the body is not documented"];
    const media = documented.content[type];
    if (media === undefined) return [`the type ${type} is not documented`];
    return media.schema === undefined ? [] : this.#schemaFaults(media.schema, text);
  }

  #operation(method: string, path: string): Operation | undefined {
    const { pathname } = new URL(path, "http://localhost");
    const verb = method === "HEAD" ? "get" : method.toLowerCase();
    const found = Object.entries(this.#document.paths).filter(([template]) => toPattern(template).test(pathname));
    // A path without parameters is meant before one with them (OpenAPI 3.1, 4.8.8).
    const [best] = found.toSorted(([a], [b]) => a.split("{").length - b.split("{").length);
    return best?.[1][verb];
  }

  #problemFaults({ method, text, status }: SeenAnswer, type: string): readonly string[] {
    if (type !== "application/problem+json") return [`a problem has the type ${type}`];
    if (method === "HEAD") return [];
    const faults = this.#schemaFaults(PROBLEM, text);
    if (faults.length > 0) return faults;
    return (JSON.parse(text) as { status: number }).status === status ? [] : ["the problem has another status"];
  }

  #schemaFaults(schema: object, text: string): readonly string[] {
    const check = this.#check(schema);
    if (check(JSON.parse(text))) return [];
    return (check.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath || "the body"} ${message}`);
  }

  #check(schema: object): ValidateFunction {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = this.#ajv.compile({ ...schema, components: this.#document.components });
      this.#checks.set(schema, check);
    }
    return check;
  }
}

function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(".", String.raw`\.`).replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u");
}
