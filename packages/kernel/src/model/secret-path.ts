/** Where in a rendered call a secret goes. The value is put there at dispatch and never written down (DATA-1). */
export interface SecretPath {
  readonly path: readonly (string | number)[];
  readonly secret: string;
}
