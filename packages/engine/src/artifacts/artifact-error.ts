import { SegnoError } from "@segno/kernel";

/** A file that cannot be kept or given away. Its codes begin with `ARTIFACT_`. */
export class ArtifactError extends SegnoError {}
