import { SegnoError } from "@segno/kernel";

export type ArtifactErrorCode =
  | "ARTIFACT_NOT_FOUND"
  | "ARTIFACT_REFUSED"
  | "ARTIFACT_TOO_LARGE"
  | "ARTIFACT_NOT_KEPT"
  | "ARTIFACT_DAMAGED";

/** A file that cannot be kept or given away. */
export class ArtifactError extends SegnoError {
  constructor(code: ArtifactErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, message, options);
  }
}
