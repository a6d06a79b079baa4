import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";
import { FieldReader } from "./field-reader.ts";
import { brandModel, type BrandedModel, type ModelName } from "./model-brand.ts";
import { ProblemPath } from "./problem-path.ts";
import type { Check } from "./check.ts";

/** Builds a model from fields, or throws one error with all problems. */
export function build<Value extends object, Name extends ModelName>(
  name: Name,
  fields: unknown,
  read: (reader: FieldReader) => Value,
): Value & BrandedModel<Name> {
  const problems: PlannerProblem[] = [];
  const value = read(new FieldReader(fields, new ProblemPath(problems)));
  if (problems.length > 0) throw new ValidationError(`the ${name}`, problems);
  return brandModel(value, name);
}

/** Builds a model inside another one. Its problems are reported by the outer model, under the inner model's path. */
export function nestedModel<Value extends object, Name extends ModelName>(
  name: Name,
  read: (reader: FieldReader) => Value,
): Check<Value & BrandedModel<Name>> {
  return (fields, path) => brandModel(read(new FieldReader(fields, path)), name);
}
