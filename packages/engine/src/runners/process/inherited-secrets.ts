// The inherited variables of a process that hold secrets, by their names: an agent gets its key from the environment of the user,
// and may print it.

import { inheritedEnv } from "./child-env.ts";

/** `OPENAI_API_KEY`, `GITHUB_TOKEN`, `DB_PASSWORD`. */
const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)/iu;

/** The values of the variables with these names; a trailing `*` matches any suffix. */
export function inheritedSecrets(names: readonly string[], from: NodeJS.ProcessEnv): readonly string[] {
  const found = Object.entries(inheritedEnv(names, from));
  return found.flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
}
