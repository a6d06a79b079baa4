// The forge of a configuration: for all templates that name none themselves.

import { boolean, list, oneOf, secretNameSchema, strictObject, string } from "@segno/contract/document-models";
import type { z } from "zod";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";

export interface RawForge {
  readonly kind: ForgeConfiguration["kind"];
  readonly repository: string;
  readonly token_secret: string;
  readonly base_url?: string;
  readonly merge_method?: NonNullable<ForgeConfiguration["mergeMethod"]>;
  readonly expected_checks?: readonly string[];
  readonly allow_no_checks?: boolean;
}

export const forgeOptionsSchema: z.ZodType<RawForge> = strictObject(
  {
    kind: oneOf("github"),
    repository: string("a repository such as `owner/name`", { pattern: /^[\w-]+\/[\w.-]+$/u }),
    token_secret: secretNameSchema,
    base_url: string("a URL", { pattern: /^https?:\/\//u }).exactOptional(),
    merge_method: oneOf("merge", "squash", "rebase").exactOptional(),
    expected_checks: list(string("the name of a check"), "a list of names of checks", 1).exactOptional(),
    allow_no_checks: boolean().exactOptional(),
  },
  "a forge such as `{ kind: github, repository: owner/name, token_secret: GITHUB_TOKEN }`",
);

export function toForge(raw: RawForge): ForgeConfiguration {
  const { kind, repository, token_secret: tokenSecret } = raw;
  const { base_url: baseUrl, merge_method: mergeMethod, expected_checks: expectedChecks } = raw;
  return {
    kind,
    repository,
    tokenSecret,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(mergeMethod === undefined ? {} : { mergeMethod }),
    ...(expectedChecks === undefined ? {} : { expectedChecks }),
    ...(raw.allow_no_checks === undefined ? {} : { allowNoChecks: raw.allow_no_checks }),
  };
}
