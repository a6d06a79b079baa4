import type { Definition, Failure } from "@segno/kernel";
import { Masker } from "./masker.ts";
import { listSecretNames } from "./secret-names.ts";
import { Secrets } from "./secrets.ts";
import type { SecretSource } from "./source.ts";

/** The failure to resolve the secrets that a definition names, without an engine; `undefined` if the source has all of them. */
export async function findSecretFailure(definition: Definition, source: SecretSource): Promise<Failure | undefined> {
  const resolved = await new Secrets({ source, masker: new Masker() }).resolve(listSecretNames(definition));
  return resolved.kind === "failure" ? resolved.failure : undefined;
}
