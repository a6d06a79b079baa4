// A run of the test-suite, as data.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runTool } from "./tool.ts";

export type TestStatus = "passed" | "failed" | "skipped";

export interface TestOutcome {
  /** The titles of the blocks around the test and its own, joined by blanks. */
  readonly name: string;
  readonly status: TestStatus;
}

export interface TestReport {
  readonly tests: readonly TestOutcome[];
  /** Errors outside of tests: a file that could not be loaded, an unhandled rejection. */
  readonly faults: readonly string[];
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs every test. `show` prints what vitest says while it works; `keep` is where the results stay as a file. */
export async function runTests(options: { readonly show: boolean; readonly keep?: string }): Promise<TestReport> {
  const folder = await mkdtemp(join(tmpdir(), "segno-tests-"));
  try {
    const file = options.keep ?? join(folder, "results.json");
    await rm(file, { force: true });
    const run = await runTool("vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`], {
      show: options.show,
    });
    return withExitCode(await readTestReport(file, `${run.stdout}${run.stderr}`), run.exitCode);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function readTestReport(file: string, said: string = ""): Promise<TestReport> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return { tests: [], faults: [`The test run left no results in ${file}. ${said}`.trim()] };
  return parseTestReport(JSON.parse(text) as VitestResults);
}

export function countTests(report: TestReport): TestCounts {
  const counts = { passed: 0, failed: report.faults.length, skipped: 0 };
  for (const test of report.tests) counts[test.status] += 1;
  return counts;
}

/** The fields of vitest's JSON report that are used here. */
export interface VitestResults {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export function parseTestReport(results: VitestResults): TestReport {
  const tests = results.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ name: test.fullName, status: toStatus(test.status) })),
  );
  const faults = results.testResults
    .filter((file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
    .map((file) => `${file.name}: ${file.message ?? "failed outside its tests"}`);
  return { tests, faults };
}

function toStatus(status: string): TestStatus {
  return status === "passed" || status === "failed" ? status : "skipped";
}

/** A run can fail although each test passed: by an unhandled rejection, for one. */
function withExitCode(report: TestReport, exitCode: number): TestReport {
  if (exitCode === 0 || countTests(report).failed > 0) return report;
  return { ...report, faults: [`vitest ended with ${exitCode} although no test failed`] };
}
