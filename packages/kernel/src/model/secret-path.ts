/** The position of a secret in a rendered call. The value is inserted at dispatch and never written (DATA-1). */
export interface SecretPath {
  readonly path: readonly (string | number)[];
  readonly secret: string;
}
