// The static checks: what can be said about the code without running it.
//
// All of them run, also when one fails, because people want to see everything at once.

import { type ToolRun, runTool } from "./tool.ts";

export interface Check {
  readonly name: string;
  readonly run: () => Promise<ToolRun>;
}

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

const LINTED_FOLDERS: readonly string[] = ["packages", "tidy", "bench", "examples"];

const CHECKS: readonly Check[] = [
  { name: "types", run: () => runTool("tsc", ["-b"]) },
  {
    name: "lint",
    run: () => runTool("oxlint", ["--type-aware", "--no-error-on-unmatched-pattern", ...LINTED_FOLDERS]),
  },
  { name: "format", run: () => runTool("oxfmt", ["--check", "."]) },
  { name: "unused", run: () => runTool("knip", ["--no-progress", "--no-config-hints"]) },
];

/** Two cores are common where this runs; more checks at once would only wait for each other. */
const AT_ONCE = 2;

export async function runChecks(checks: readonly Check[] = CHECKS): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const pending = checks.values();
  const takeTurns = async (): Promise<void> => {
    for (const check of pending) results.push(await runCheck(check));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return results;
}

async function runCheck(check: Check): Promise<CheckResult> {
  const run = await check.run();
  const passed = run.exitCode === 0;
  printCheck(check.name, passed, `${(run.durationMs / 1000).toFixed(1)} s`);
  if (!passed) console.log(`${run.stdout}${run.stderr}`.trimEnd());
  return { name: check.name, passed };
}

export function printCheck(name: string, passed: boolean, remark: string = ""): void {
  console.log(`${name.padEnd(12)} ${passed ? "ok" : "failed"}`.padEnd(20), remark);
}
