/** A file that a step declared and that is kept beside the journal (DATA-13). */
export interface Artifact {
  /** Relative to the working directory of the step, with `/` between its parts. */
  readonly path: string;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly hash: string;
  readonly bytes: number;
}
