// Checks whether the secrets that a contract names have values here. Only names and places are reported, never values.

import { environmentSecrets, findSecretFailure, listSecretNames } from "@segno/engine";
import type { Definition, Failure } from "@segno/kernel";

import { openSecrets } from "./open-engine.ts";

/** Undefined if the contract names no secret, or if each has a value that can be used. */
export async function checkSecrets(definition: Definition, file: string | undefined): Promise<Failure | undefined> {
  if (listSecretNames(definition).length === 0) return undefined;
  const source = file === undefined ? environmentSecrets(process.env) : openSecrets(file, () => undefined);
  return findSecretFailure(definition, source);
}
