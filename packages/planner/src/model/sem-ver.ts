import { build, nestedModel } from "./build.ts";
import { integer, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { BrandedModel } from "./model-brand.ts";

/** The fields of `semVer`. */
export interface SemVerFields {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A semantic version. */
export type SemVer = SemVerFields & BrandedModel<"semantic version">;

const part: Check<number> = integer(0);

/** Makes a checked semantic version from its three numbers. */
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
