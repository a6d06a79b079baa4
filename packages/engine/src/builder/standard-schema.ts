// Standard Schema (standardschema.dev): the shape that zod, valibot, arktype and others share, so that any of them can
// type and check a workflow's input.

import { checkJson, formatJsonPath, SegnoError, type Json } from "@segno/kernel";

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

/** Some libraries' schemas are functions with properties. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const mayHaveKeys = typeof value === "function" || (typeof value === "object" && value !== null);
  return mayHaveKeys && "~standard" in value;
}

/** The input as the schema makes it, defaults and conversions included: that is what is stored and what steps see. */
export async function validateInput(schema: StandardSchema, workflow: string, input: unknown): Promise<Json> {
  const result = await schema["~standard"].validate(input);
  if (result.issues !== undefined) throw invalid(workflow, result.issues.map(issueText).join("; "));
  const check = checkJson(result.value);
  if (check.kind === "json") return check.json;
  throw invalid(workflow, `the schema turns it into ${check.found} at ${check.path}, which is not JSON`);
}

function invalid(workflow: string, reason: string): SegnoError {
  return new SegnoError("INPUT_INVALID", `the input of \`${workflow}\` does not fit its schema: ${reason}`);
}

function issueText({ message, path = [] }: StandardIssue): string {
  if (path.length === 0) return message;
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  return `${formatJsonPath(keys.map((key) => (typeof key === "symbol" ? String(key) : key)))}: ${message}`;
}
