// `segno code`: the group of commands that run coding agents on a git repository. Each command has a file of its own.

import { addCodeClean } from "./code-clean.ts";
import { addCodeConformance } from "./code-conformance.ts";
import { addCodeDiff } from "./code-diff.ts";
import { addCodeLand } from "./code-land.ts";
import { addCodeOpen } from "./code-open.ts";
import { addCodePlan } from "./code-plan.ts";
import { addCodeRun } from "./code-run.ts";
import { addCodeStatus } from "./code-status.ts";
import type { CommandRegistry } from "./command-registry.ts";

export function addCode(registry: CommandRegistry): void {
  const code = registry
    .add("code", ["segno code run feature.yaml --param name=login", "segno code status", "segno code diff api"])
    .description("run coding agents on a git repository: run, plan, status, diff, open, land, clean, conformance")
    .usage("<command> [options]");
  addCodeRun(registry, code);
  addCodePlan(registry, code);
  addCodeStatus(registry, code);
  addCodeDiff(registry, code);
  addCodeOpen(registry, code);
  addCodeLand(registry, code);
  addCodeClean(registry, code);
  addCodeConformance(registry, code);
}
