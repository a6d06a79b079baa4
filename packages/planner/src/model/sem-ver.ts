import { build, nestedModel } from "./build.ts";
import { integer, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { BrandedModel } from "./model-brand.ts";

export interface SemVerFields {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export type SemVer = SemVerFields & BrandedModel<"semantic version">;

const part: Check<number> = integer(0);

export function semVer(fields: SemVerFields): SemVer {
  return build("semantic version", fields, readSemVer);
}

export const semVerField: Check<SemVer> = nestedModel("semantic version", readSemVer);

function readSemVer(fields: FieldReader): SemVerFields {
  return {
    major: fields.required("major", part),
    minor: fields.required("minor", part),
    patch: fields.required("patch", part),
  };
}
