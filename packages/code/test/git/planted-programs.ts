// Programs that an agent plants in a git directory.

import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SampleRepository } from "./sample-repository.ts";

const HOOKS = [
  "reference-transaction",
  "post-checkout",
  "post-index-change",
  "pre-commit",
  "post-commit",
  "post-merge",
  "prepare-commit-msg",
  "commit-msg",
  "update",
  "pre-merge-commit",
  "post-rewrite",
  "pre-rebase",
  "pre-auto-gc",
  "applypatch-msg",
  "fsmonitor-watchman",
];

/** The settings that name programs. */
function plantedSettings(sample: SampleRepository): Readonly<Record<string, string>> {
  return {
    "core.fsmonitor": sample.canary("fsmonitor"),
    "filter.evil.smudge": sample.canary("smudge"),
    "filter.evil.clean": sample.canary("clean"),
    "filter.evil.process": sample.canary("process"),
    "merge.evil.driver": sample.canary("merge"),
    "diff.external": sample.canary("diff"),
    "diff.evil.textconv": sample.canary("textconv"),
    "gpg.program": sample.canary("gpg"),
    "commit.gpgSign": "true",
    "core.sshCommand": sample.canary("ssh"),
    "core.pager": sample.canary("pager"),
    "core.editor": sample.canary("editor"),
    "core.alternateRefsCommand": sample.canary("alternates"),
    "credential.helper": sample.canary("credential"),
    "uploadpack.packObjectsHook": sample.canary("pack"),
  };
}

/** The settings in the form of git's own file. */
function settingsText(sample: SampleRepository): string {
  return Object.entries(plantedSettings(sample))
    .map(([key, value]) => {
      const [section = "", ...rest] = key.split(".");
      const name = rest.pop();
      const title = rest.length === 0 ? section : `${section} "${rest.join(".")}"`;
      return `[${title}]\n\t${name} = "${value}"\n`;
    })
    .join("");
}

/** Plants programs in a git directory that plain git would run. Each of them leaves a canary. */
export function plant(sample: SampleRepository, gitDir: string = join(sample.folder, ".git")): void {
  for (const hook of HOOKS) {
    mkdirSync(join(gitDir, "hooks"), { recursive: true });
    const file = join(gitDir, "hooks", hook);
    writeFileSync(file, `#!/bin/sh\n${sample.canary(`hook-${hook}`)}\n`);
    chmodSync(file, 0o755);
  }
  sample.watched.act(() => appendFileSync(join(gitDir, "config"), settingsText(sample)));
  mkdirSync(join(gitDir, "info"), { recursive: true });
  writeFileSync(join(gitDir, "info", "attributes"), "* filter=evil merge=evil diff=evil\n");
}

/** The same as a shell script, for an agent that does it while it works. `gitDir` is a word of the shell. */
export function plantingScript(sample: SampleRepository, gitDir: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const hooks = HOOKS.map((hook) => {
    const script = quote(`#!/bin/sh\n${sample.canary(`hook-${hook}`)}\n`);
    return `printf ${script.replaceAll("\n", "\\n")} > "$planted/hooks/${hook}"; chmod +x "$planted/hooks/${hook}"`;
  });
  return [
    `planted=$(realpath ${gitDir}); mkdir -p "$planted/hooks" "$planted/info"`,
    ...hooks,
    `echo '* filter=evil merge=evil diff=evil' > "$planted/info/attributes"`,
    // Git itself would run a planted program, so the settings are written into the file.
    `printf '%s\\n' ${quote(settingsText(sample))} >> "$planted/config"`,
  ].join("\n");
}
