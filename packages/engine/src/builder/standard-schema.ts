// Standard Schema (standardschema.dev): the interface that zod, valibot, arktype and others share. Any of them can type
// and check values: the input of a workflow, outputs, payloads of signals, and the input and output of agents.
//
//   SS1. A value that a function of this process returned or gets is checked and converted by the schema itself.
//   SS2. Other values, such as payloads of signals, may be checked where the schema is not there: in another process. Their schema
//        is stored as a JSON Schema, which the library has to provide (decision 64). It describes the converted value, because
//        nothing converts it.

import {
  checkJson,
  formatJsonPath,
  PermanentError,
  SegnoError,
  type Json,
  type JsonCheck,
  type JsonSchema,
} from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { describeKind, quoteText } from "@segno/kernel/describe-value";
import { tooLargeText } from "../checks/copy-json.ts";
import { hasMethods, isObject } from "../checks/option-rules.ts";

/** A schema of any library that implements Standard Schema, such as Zod or Valibot. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, which zod and others have. */
    readonly jsonSchema?: { readonly output: (options: { readonly target: "draft-2020-12" }) => object } | undefined;
  };
}

/** The result of a Standard Schema: the value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A problem that a Standard Schema has found in a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Schemas of some libraries are functions with properties. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const mayHaveKeys = typeof value === "function" || (typeof value === "object" && value !== null);
  return mayHaveKeys && "~standard" in value;
}

/** Whether the schema has a callable `validate`; plain JavaScript may pass an incomplete one. */
export function canValidate(schema: StandardSchema): boolean {
  return hasMethods(schema["~standard"], "validate");
}

/** The input after validation, with defaults and conversions. This value is stored and passed to steps. */
export function validateInput(schema: StandardSchema, workflow: string, input: unknown): Promise<Json> {
  const subject = `the input of \`${workflow}\``;
  return validateValue(schema, subject, input, (code, message) => new SegnoError(code, message));
}

/** The same for the input or the output of a step. A misfit is permanent, unless the retry policy says otherwise (FAIL-2). */
export function validateStepValue(schema: StandardSchema, side: "input" | "output", value: unknown): Promise<Json> {
  return validateValue(schema, `the ${side}`, value, (code, message) => {
    const misfit = side === "input" ? "INPUT_INVALID" : "OUTPUT_INVALID";
    return new StepValueError(code === "INPUT_INVALID" ? misfit : code, message);
  });
}

class StepValueError extends PermanentError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function validateValue(
  schema: StandardSchema,
  subject: string,
  value: unknown,
  toError: (code: string, message: string) => Error,
): Promise<Json> {
  const result = await runSchema(schema, subject, value);
  switch (result.kind) {
    case "json":
      return result.json;
    case "issues":
      throw toError("INPUT_INVALID", `${subject} does not fit its schema: ${result.text}`);
    case "not-json":
      throw toError(
        "INPUT_INVALID",
        `${subject} does not fit its schema: the schema turns it into ${result.found} at ${result.path}, which is not JSON`,
      );
    case "too-large":
      throw toError("VALUE_TOO_LARGE", tooLargeText(subject));
    case "unusable":
      throw toError(
        "DEFINITION_INVALID",
        `the schema of ${subject} cannot be used: its \`validate\` must return an object with \`value\`, ` +
          `or with a list of \`issues\`, not ${result.found}`,
      );
  }
}

export type StoredSchema =
  | { readonly kind: "schema"; readonly schema: JsonSchema }
  | { readonly kind: "none"; readonly reason: string };

/** The JSON Schema of a converted value (SS2), or the reason why there is none. */
export function toStoredSchema(schema: StandardSchema): StoredSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined)
    return { kind: "none", reason: `the library ${quoteText(vendor)} has no JSON Schema for it; write a JSON Schema` };
  try {
    // `$schema` is the default of Segno.
    const { $schema: _, ...rest } = jsonSchema.output({ target: "draft-2020-12" }) as Record<string, Json>;
    return { kind: "schema", schema: rest };
  } catch (error) {
    return { kind: "none", reason: `it cannot be written as a JSON Schema: ${thrownMessage(error)}` };
  }
}

/** The answer of a schema about an input. */
type SchemaAnswer =
  | JsonCheck
  | { readonly kind: "issues"; readonly text: string }
  | { readonly kind: "unusable"; readonly found: string };

/**
 * An exception is a fault of the schema, because a schema reports invalid input through `issues`. Reading the result can
 * throw as well: it belongs to the schema, and may have getters.
 */
async function runSchema(schema: StandardSchema, subject: string, input: unknown): Promise<SchemaAnswer> {
  try {
    return readResult(await schema["~standard"].validate(input));
  } catch (cause) {
    const message = `the schema of ${subject} failed: ${thrownMessage(cause)}`;
    throw new SegnoError("CALLBACK_FAILED", message, { cause });
  }
}

/** Any other result is a fault of the schema, not of the input. Results of some libraries are arrays. */
function readResult(result: unknown): SchemaAnswer {
  if (typeof result === "object" && result !== null) {
    const { issues } = result as { readonly issues?: unknown };
    if (issues === undefined) return checkJson((result as { readonly value?: unknown }).value);
    if (Array.isArray(issues)) return { kind: "issues", text: issues.map(issueText).join("; ") };
  }
  return { kind: "unusable", found: describeKind(result) };
}

/** Issues come from the schema and may contain any value. */
function issueText(issue: Partial<StandardIssue> | null | undefined): string {
  const { message, path } = issue ?? {};
  const text = typeof message === "string" ? message : "an issue without a message";
  const keys = Array.isArray(path) ? path.flatMap(toPathKey) : [];
  return keys.length === 0 ? text : `${formatJsonPath(keys)}: ${text}`;
}

function toPathKey(part: unknown): readonly (string | number)[] {
  const key = isObject(part) && "key" in part ? part.key : part;
  if (typeof key === "symbol") return [String(key)];
  return typeof key === "string" || typeof key === "number" ? [key] : [];
}
