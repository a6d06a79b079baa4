/** The forge on which pull requests are made. */
export interface ForgeConfiguration {
  readonly kind: "github";
  /** `owner/name`. */
  readonly repository: string;
  /** The name of the secret that holds the token. */
  readonly tokenSecret: string;
  /** The address of the REST API; `https://<host>/api/v3` for GitHub Enterprise Server. */
  readonly baseUrl?: string;
  readonly mergeMethod?: "merge" | "squash" | "rebase";
  readonly expectedChecks?: readonly string[];
  readonly allowNoChecks?: boolean;
}
