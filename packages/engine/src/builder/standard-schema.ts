// Standard Schema (standardschema.dev): the interface that zod, valibot, arktype and others share. Any of them can type
// and check a workflow's input.

import { checkJson, formatJsonPath, SegnoError, type Json } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { describeValue } from "@segno/kernel/describe-value";
import { tooLargeText } from "../checks/copy-json.ts";
import { hasMethods, isObject } from "../checks/option-rules.ts";

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

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
  const result = checkedResult(workflow, await runSchema(schema, workflow, input));
  if (result.issues !== undefined) throw invalid(workflow, result.issues.map(issueText).join("; "));
  const check = checkJson(result.value);
  if (check.kind === "json") return check.json;
  if (check.kind === "too-large") throw new SegnoError("VALUE_TOO_LARGE", tooLargeText(`the input of \`${workflow}\``));
  throw invalid(workflow, `the schema turns it into ${check.found} at ${check.path}, which is not JSON`);
}

/** An exception is a fault of the schema, because a schema reports invalid input through `issues`. */
async function runSchema(schema: StandardSchema, workflow: string, input: unknown): Promise<unknown> {
  try {
    return await schema["~standard"].validate(input);
  } catch (cause) {
    const message = `the schema of the input of \`${workflow}\` failed: ${thrownMessage(cause)}`;
    throw new SegnoError("CALLBACK_FAILED", message, { cause });
  }
}

function invalid(workflow: string, reason: string): SegnoError {
  return new SegnoError("INPUT_INVALID", `the input of \`${workflow}\` does not fit its schema: ${reason}`);
}

/** Any other result is a fault of the schema, not of the input. Results of some libraries are arrays. */
function checkedResult(workflow: string, result: unknown): StandardResult<unknown> {
  if (typeof result === "object" && result !== null) {
    const { issues } = result as { readonly issues?: unknown };
    if (issues === undefined || Array.isArray(issues)) return result as StandardResult<unknown>;
  }
  throw new SegnoError(
    "DEFINITION_INVALID",
    `the schema of the input of \`${workflow}\` cannot be used: its \`validate\` gives an object with \`value\`, ` +
      `or with a list of \`issues\`, not ${describeValue(result)}`,
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
