import { ValidationError, type PlannerProblem } from "../validation-error.ts";
import { FieldReader } from "./field-reader.ts";
import { markBuilt, type Built, type ModelName } from "./mark.ts";
import { Place } from "./place.ts";
import type { Check } from "./check.ts";

/** Makes a model of fields, or throws with all that is wrong with them. */
export function build<Value extends object, Name extends ModelName>(
  name: Name,
  fields: unknown,
  read: (reader: FieldReader) => Value,
): Value & Built<Name> {
  const problems: PlannerProblem[] = [];
  const value = read(new FieldReader(fields, new Place(problems)));
  if (problems.length > 0) throw new ValidationError(`the ${name}`, problems);
  return markBuilt(value, name);
}

/** A model inside another one: its problems are the outer one's, under its own path. */
export function nested<Value extends object, Name extends ModelName>(
  name: Name,
  read: (reader: FieldReader) => Value,
): Check<Value & Built<Name>> {
  return (fields, place) => markBuilt(read(new FieldReader(fields, place)), name);
}
