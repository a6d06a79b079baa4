import { build, nested } from "./build.ts";
import { integer, type Check } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import type { Built } from "./mark.ts";

export interface SemVerFields {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export type SemVer = SemVerFields & Built<"semantic version">;

const part: Check<number> = integer(0);

export function semVer(fields: SemVerFields): SemVer {
  return build("semantic version", fields, readSemVer);
}

export const semVerField: Check<SemVer> = nested("semantic version", readSemVer);

function readSemVer(fields: FieldReader): SemVerFields {
  return {
    major: fields.required("major", part),
    minor: fields.required("minor", part),
    patch: fields.required("patch", part),
  };
}
