// Options: the arguments of a call beside its models. They are checked like the fields of a model, but an unknown option is
// refused, because it would have no effect.

import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { FieldReader } from "./field-reader.ts";
import { ProblemPath } from "./problem-path.ts";

/** Reads options, or throws one error with all problems. `subject` begins the message: "the call of process". */
export function readOptions<Value>(
  subject: string,
  given: unknown,
  known: ReadonlySet<string>,
  read: (fields: FieldReader) => Value,
): Value {
  const problems: PlannerProblem[] = [];
  const fields = new FieldReader(given, new ProblemPath(problems));
  fields.refuseOthers(known, optionNames(given));
  const value = read(fields);
  if (problems.length > 0) throw new ValidationError(subject, problems);
  return value;
}

/** Includes inherited names. Returns none for an instance of a class, which may have state of its own beside its options. */
function optionNames(given: unknown): readonly string[] {
  if (typeof given !== "object" || given === null || isInstance(given)) return [];
  const names: string[] = [];
  for (const name in given) names.push(name);
  return names;
}

function isInstance(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null;
  return prototype !== null && prototype.constructor !== Object;
}
