// Which rules the tests prove: a passing test proves every rule that its full name cites.

import { type Rule, type RuleStatus, ruleFamily } from "./rules.ts";
import type { TestReport } from "./test-report.ts";

export interface RuleReport {
  readonly id: string;
  readonly status: RuleStatus;
  /** How many passing tests cite it. */
  readonly tests: number;
}

export interface Conformance {
  readonly rules: readonly RuleReport[];
  /** Why the project does not conform; empty when it does. */
  readonly findings: readonly string[];
}

export function assess(rules: readonly Rule[], report: TestReport): Conformance {
  const families = new Set(rules.map((rule) => ruleFamily(rule.id)));
  const passing = new Map(rules.map((rule) => [rule.id, 0]));
  const findings: string[] = [];
  for (const test of report.tests) {
    if (test.status === "failed") findings.push(`this test fails: ${test.name}`);
    for (const id of citedRules(test.name, families)) {
      const count = passing.get(id);
      if (count === undefined) findings.push(`${id} is cited but is no rule: ${test.name}`);
      else if (test.status === "passed") passing.set(id, count + 1);
    }
  }
  const reports = rules.map((rule) => ({ ...rule, tests: passing.get(rule.id) ?? 0 }));
  return { rules: reports, findings: [...report.faults, ...findings, ...unprovenRules(reports)] };
}

/**
 * The ids in a test's name. `UTF-8` in the middle of a name is no rule, so ids of unknown families count only where a
 * name begins with them.
 */
export function citedRules(name: string, families: ReadonlySet<string>): Set<string> {
  const ids = new Set(/^[A-Z]+-\d+\b/u.exec(name) ?? []);
  for (const [id] of name.matchAll(/\b[A-Z]+-\d+\b/gu)) if (families.has(ruleFamily(id))) ids.add(id);
  return ids;
}

function unprovenRules(rules: readonly RuleReport[]): string[] {
  return rules
    .filter((rule) => rule.status === "done" && rule.tests === 0)
    .map((rule) => `${rule.id} is marked done, but no passing test cites it`);
}

export function formatRules(rules: readonly RuleReport[]): string {
  return rules
    .map((rule) => `${rule.id.padEnd(12)} ${rule.status.padEnd(8)} ${String(rule.tests).padStart(5)}`)
    .join("\n");
}

export function formatFindings(findings: readonly string[]): string {
  return findings.map((finding) => `conformance: ${finding}`).join("\n");
}
