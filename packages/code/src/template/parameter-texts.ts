// `${ params.name }` in the texts of a template.
//
// Parameters are put in before an execution is created, and the result is data: nothing in a parameter's value is
// evaluated. `$${` stands for `${`, as in a contract.

import { CodeError } from "../errors/code-error.ts";
import type { ParameterValues } from "../model/parameter-values.ts";

const PART = /\$\$\{|\$\{([^}]*)\}?/gu;
const REFERENCE = /^\s*params\.([A-Za-z_][A-Za-z0-9_]*)\s*$/u;

export interface ParameterReference {
  /** The text as it is written, such as `${ params.name }`. */
  readonly source: string;
  /** Undefined if the text between the braces is not a parameter. */
  readonly name: string | undefined;
}

export function referencesIn(text: string): readonly ParameterReference[] {
  return [...text.matchAll(PART)]
    .filter(([source]) => source !== "$${")
    .map(([source, inner = ""]) => ({ source, name: source.endsWith("}") ? REFERENCE.exec(inner)?.[1] : undefined }));
}

export function fillParameters(text: string, values: ParameterValues): string {
  return text.replaceAll(PART, (source, inner: string | undefined) => {
    if (source === "$${") return "${";
    const name = REFERENCE.exec(inner ?? "")?.[1];
    if (name === undefined || !Object.hasOwn(values, name))
      throw new CodeError("PARAMETER_INVALID", `the template has no parameter for \`${source}\``);
    return String(values[name]);
  });
}
