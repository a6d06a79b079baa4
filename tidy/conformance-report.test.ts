import { describe, expect, it } from "vitest";

import { assess, citedRules, formatRules } from "./conformance-report.ts";
import { parseRules } from "./rules.ts";
import { countTests, parseTestReport } from "./test-report.ts";
import type { TestOutcome } from "./test-report.ts";

// Ids are put together here, so that no test of this file cites a rule of the project.
const id = (family: string, number: number): string => `${family}-${number}`;
const RULES = parseRules(
  ["", `- **${id("SAIL", 1)}** *(done)* Wind.`, `- **${id("SAIL", 2)}** *(planned)* Sea.`].join("\n"),
);

const passed = (name: string): TestOutcome => ({ name, status: "passed" });
const listFindings = (...tests: TestOutcome[]): readonly string[] => assess(RULES, { tests, faults: [] }).findings;

describe("rules in a document", () => {
  it("are read with their status", () => {
    expect(RULES).toEqual([
      { id: id("SAIL", 1), status: "done" },
      { id: id("SAIL", 2), status: "planned" },
    ]);
  });

  it("without a status are refused", () => {
    expect(() => parseRules(`- **${id("SAIL", 3)}** Fog.`)).toThrow("Expected");
  });
});

describe("conformance", () => {
  it("counts a test for each rule that its name cites, wherever in the name", () => {
    const tests = [passed(`${id("SAIL", 1)} ${id("SAIL", 2)} both`), passed(`block ${id("SAIL", 1)} again`)];
    const { rules, findings } = assess(RULES, { tests, faults: [] });
    expect(rules.map((rule) => rule.tests)).toEqual([2, 1]);
    expect(findings).toEqual([]);
  });

  it("asks for a passing test of every rule that is done", () => {
    expect(listFindings({ name: `${id("SAIL", 1)} later`, status: "skipped" })).toHaveLength(1);
  });

  it("asks that a cited rule exists", () => {
    const unknown = [
      passed(`${id("SAIL", 1)} ok`),
      passed(`${id("SAIL", 9)} no such rule`),
      passed(`${id("SAUL", 1)} typo`),
    ];
    expect(listFindings(...unknown)).toHaveLength(2);
  });

  it("asks that no test fails", () => {
    expect(listFindings(passed(`${id("SAIL", 1)} ok`), { name: "other", status: "failed" })).toHaveLength(1);
  });

  it("leaves names such as encodings alone inside a title", () => {
    expect([...citedRules("reads UTF-8 and SHA-256", new Set(["SAIL"]))]).toEqual([]);
  });

  it("prints a line for each rule", () => {
    expect(formatRules([{ id: id("SAIL", 1), status: "done", tests: 12 }])).toBe("SAIL-1       done        12");
  });
});

describe("a test report", () => {
  it("counts a file that could not be loaded as a failure", () => {
    const report = parseTestReport({
      testResults: [
        { name: "a.test.ts", status: "failed", message: "no such module", assertionResults: [] },
        {
          name: "b.test.ts",
          status: "failed",
          assertionResults: [
            { fullName: "b fails", status: "failed" },
            { fullName: "b waits", status: "pending" },
            { fullName: "b works", status: "passed" },
          ],
        },
      ],
    });
    expect(countTests(report)).toEqual({ passed: 1, failed: 2, skipped: 1 });
  });
});
