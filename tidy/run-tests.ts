// `npm test`: everything that CI runs. The last line counts the tests; each static check counts as one.

import { parseArgs } from "node:util";

import { type CheckResult, printCheck, runChecks } from "./checks.ts";
import { assess, formatFindings } from "./conformance-report.ts";
import { requireNode } from "./node-version.ts";
import { readText } from "./repository.ts";
import { parseRules } from "./rules.ts";
import { type TestReport, countTests, runTests } from "./test-report.ts";

requireNode();
const { values } = parseArgs({ options: { results: { type: "string" } } });
const checks = await runChecks();
const report = await runTests({ show: true, ...(values.results === undefined ? {} : { keep: values.results }) });
for (const fault of report.faults) console.log(fault);
checks.push(checkConformance(report));

const counts = countTests(report);
const passed = counts.passed + checks.filter((check) => check.passed).length;
const failed = counts.failed + checks.filter((check) => !check.passed).length;
if (failed > 0) process.exitCode = 1;
console.log(`tests: ${passed} passed, ${failed} failed, ${counts.skipped} skipped`);

/** `npm run conformance` on the results that are here already. */
function checkConformance(tests: TestReport): CheckResult {
  const findings = assess(parseRules(readText("docs/semantics.md")), tests).findings;
  printCheck("conformance", findings.length === 0);
  if (findings.length > 0) console.log(formatFindings(findings));
  return { name: "conformance", passed: findings.length === 0 };
}
