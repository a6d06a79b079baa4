// Programs that an agent plants in a git directory.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
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
];

/** Plants programs in a git directory that plain git would run. Each of them leaves a canary. */
export function plant(sample: SampleRepository, gitDir: string = join(sample.folder, ".git")): void {
  for (const hook of HOOKS) {
    mkdirSync(join(gitDir, "hooks"), { recursive: true });
    const file = join(gitDir, "hooks", hook);
    writeFileSync(file, `#!/bin/sh\n${sample.canary(`hook-${hook}`)}\n`);
    chmodSync(file, 0o755);
  }
  const settings: Readonly<Record<string, string>> = {
    "core.fsmonitor": sample.canary("fsmonitor"),
    "filter.evil.smudge": sample.canary("smudge"),
    "filter.evil.clean": sample.canary("clean"),
    "merge.evil.driver": sample.canary("merge"),
    "diff.external": sample.canary("diff"),
    "diff.evil.textconv": sample.canary("textconv"),
    "gpg.program": sample.canary("gpg"),
    "commit.gpgSign": "true",
    "core.sshCommand": sample.canary("ssh"),
    "core.pager": sample.canary("pager"),
    "core.editor": sample.canary("editor"),
    "credential.helper": sample.canary("credential"),
  };
  for (const [key, value] of Object.entries(settings)) sample.git(`--git-dir=${gitDir}`, "config", key, value);
  mkdirSync(join(gitDir, "info"), { recursive: true });
  writeFileSync(join(gitDir, "info", "attributes"), "* filter=evil merge=evil diff=evil\n");
}
