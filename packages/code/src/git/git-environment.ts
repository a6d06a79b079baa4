// The environment of git processes.
//
//   G1. Git runs no program that the repository names: no hook, file-system monitor, diff or transport helper. An agent
//       can write to the configuration of the repository, so everything in it that names a program is overridden. A
//       planted remote could name the program from which git fetches a missing object, so git talks to no remote unless a
//       caller allows the protocol.
//       Filters and merge drivers have open-ended names and cannot be overridden; `object-git.ts` avoids them.
//   G2. Variables of the caller that redirect git, such as GIT_DIR, are not passed on.
//   G3. Git never asks a person: no prompt, no editor, no pager.

import { devNull } from "node:os";

export type GitSetting = readonly [key: string, value: string];

/** Settings from the environment take precedence over those of the repository. */
const SETTINGS: readonly GitSetting[] = [
  ["core.hooksPath", devNull],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["commit.gpgSign", "false"],
  ["diff.external", ""],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["protocol.ext.allow", "never"],
  ["submodule.recurse", "false"],
];

const FIXED: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  GIT_OPTIONAL_LOCKS: "0",
  // Not every version of git knows it.
  GIT_NO_LAZY_FETCH: "1",
  // There is no such protocol.
  GIT_ALLOW_PROTOCOL: "none",
  LC_ALL: "C",
};

export function gitEnvironment(
  own: Readonly<Record<string, string>>,
  settings: readonly GitSetting[] = [],
  variables: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(variables).filter(([name]) => !name.toUpperCase().startsWith("GIT_"));
  return { ...Object.fromEntries(inherited), ...FIXED, ...settingVariables([...SETTINGS, ...settings]), ...own };
}

function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}
