// Names that a workflow declares. Its scopes share these lists, so each list is read once, however many scopes there are.

import type { Definition } from "../model/definition.ts";

const SECRETS = new WeakMap<readonly string[], ReadonlySet<string>>();
const RESOURCES = new WeakMap<object, readonly string[]>();

/** Undefined if the workflow declares none. */
export function declaredSecrets({ secrets }: Definition): ReadonlySet<string> | undefined {
  if (secrets === undefined) return undefined;
  const names = SECRETS.get(secrets) ?? new Set(secrets);
  SECRETS.set(secrets, names);
  return names;
}

export function resourceNames({ resources }: Definition): readonly string[] {
  if (resources === undefined) return [];
  const names = RESOURCES.get(resources) ?? Object.keys(resources);
  RESOURCES.set(resources, names);
  return names;
}
