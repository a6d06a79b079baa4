// The dialects of JSON Schema that a contract may use, and the validator behind each.
//
//   D1. The validator is loaded when the first schema is seen: most of its cost is its import.
//   D2. Nothing a schema says leaves the process: references stay inside the schema, and no loader is configured.
//   D3. An instance keeps nothing of the schemas that it compiled: they go in without their `$id`, under which it would
//       file them, and are removed at once. What is kept is bounded by `schema-check.ts`.

import { createRequire } from "node:module";

import type { JsonObject, JsonSchema } from "@segno/kernel";
import type { Ajv, Options, ValidateFunction } from "ajv";
import type { FormatsPlugin } from "ajv-formats";

import { linearPattern } from "./linear-pattern.ts";

export type Dialect = "2020-12" | "draft-07";

const DIALECT_BY_URI: Readonly<Record<string, Dialect>> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "draft-07",
};

const OPTIONS: Options = {
  // Keywords and formats that are unknown are reported with their place by `schema-walk.ts`.
  strict: false,
  logger: false,
  allErrors: true,
  ownProperties: true,
  // Code in place of a reference could grow exponentially.
  inlineRefs: false,
  validateSchema: false,
  code: { regExp: Object.assign((pattern: string) => linearPattern(pattern), { code: "linearPattern" }) },
};

const require = createRequire(import.meta.url);
const instances = new Map<Dialect, Ajv>();

/** Nothing when `$schema` names a dialect that is not known here. */
export function dialectOf(schema: JsonSchema): Dialect | undefined {
  const uri = typeof schema === "boolean" ? undefined : schema["$schema"];
  if (uri === undefined) return "2020-12";
  const bare = typeof uri === "string" ? uri.replace(/#$/u, "") : "";
  return Object.hasOwn(DIALECT_BY_URI, bare) ? DIALECT_BY_URI[bare] : undefined;
}

export function validatorFor(dialect: Dialect): Ajv {
  const known = instances.get(dialect);
  if (known !== undefined) return known;
  const created =
    dialect === "2020-12"
      ? new (require("ajv/dist/2020.js") as { Ajv2020: typeof Ajv }).Ajv2020(OPTIONS)
      : new (require("ajv") as { Ajv: typeof Ajv }).Ajv(OPTIONS);
  (require("ajv-formats") as { default: FormatsPlugin }).default(created, { mode: "fast" });
  instances.set(dialect, created);
  return created;
}

export function compileSchema(schema: JsonObject, validator: Ajv): ValidateFunction {
  const { $id: _, ...anonymous } = schema;
  try {
    return validator.compile(anonymous);
  } finally {
    validator.removeSchema(anonymous);
  }
}
