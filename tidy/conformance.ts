// `npm run conformance [-- --json] [--results file]`: every rule of docs/semantics.md with the number of passing tests
// that cite it, from a real run of the test-suite, or from the file that `npm test -- --results file` wrote.

import { parseArgs } from "node:util";

import { assess, formatFindings, formatRules } from "./conformance-report.ts";
import { requireNode } from "./node-version.ts";
import { readText } from "./repository.ts";
import { parseRules } from "./rules.ts";
import { readTestReport, runTests } from "./test-report.ts";

requireNode();
const { values } = parseArgs({ options: { json: { type: "boolean" }, results: { type: "string" } } });
const rules = parseRules(readText("docs/semantics.md"));
const report = await (values.results === undefined ? runTests({ show: false }) : readTestReport(values.results));
const conformance = assess(rules, report);
console.log(values.json === true ? JSON.stringify(conformance.rules) : formatRules(conformance.rules));
if (conformance.findings.length > 0) {
  console.error(formatFindings(conformance.findings));
  process.exitCode = 1;
}
