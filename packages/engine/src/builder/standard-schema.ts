// Standard Schema (standardschema.dev): the interface that zod, valibot, arktype and others share. Any of them can type
// and check a workflow's input.

import { checkJson, formatJsonPath, SegnoError, type Json, type JsonCheck } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { describeKind } from "@segno/kernel/describe-value";
import { tooLargeText } from "../checks/copy-json.ts";
import { hasMethods, isObject } from "../checks/option-rules.ts";

/** A schema of any library that implements Standard Schema, such as Zod or Valibot. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
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
export async function validateInput(schema: StandardSchema, workflow: string, input: unknown): Promise<Json> {
  const result = await runSchema(schema, workflow, input);
  switch (result.kind) {
    case "json":
      return result.json;
    case "issues":
      throw invalid(workflow, result.text);
    case "not-json":
      throw invalid(workflow, `the schema turns it into ${result.found} at ${result.path}, which is not JSON`);
    case "too-large":
      throw new SegnoError("VALUE_TOO_LARGE", tooLargeText(`the input of \`${workflow}\``));
    case "unusable":
      throw unusable(workflow, result.found);
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
async function runSchema(schema: StandardSchema, workflow: string, input: unknown): Promise<SchemaAnswer> {
  try {
    return readResult(await schema["~standard"].validate(input));
  } catch (cause) {
    const message = `the schema of the input of \`${workflow}\` failed: ${thrownMessage(cause)}`;
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

function invalid(workflow: string, reason: string): SegnoError {
  return new SegnoError("INPUT_INVALID", `the input of \`${workflow}\` does not fit its schema: ${reason}`);
}

function unusable(workflow: string, found: string): SegnoError {
  return new SegnoError(
    "DEFINITION_INVALID",
    `the schema of the input of \`${workflow}\` cannot be used: its \`validate\` must return an object with \`value\`, ` +
      `or with a list of \`issues\`, not ${found}`,
  );
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
