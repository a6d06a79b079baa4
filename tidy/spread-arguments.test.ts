// A list that is spread into the arguments of a call has to fit on the stack: some 100,000 elements end the process with a
// RangeError. So lists that may grow with a workflow, a journal or a crowd are added one by one.

import { expect, it } from "vitest";
import { isTest, packageSources, readText } from "./repository.ts";

const SPREAD = /\.(?:push|unshift)\((?:[^{]*, )?\.\.\.|\.splice\([^[{]*\.\.\.|Math\.(?:max|min)\((?:.*, )?\.\.\./u;

/** Lists that have an end, and what bounds them. */
const BOUNDED: Readonly<Record<string, string>> = {
  "packages/contract/src/schema/schema-problems.ts": "the keywords of one schema",
  "packages/engine/src/store/sqlite/migrate.ts": "the migrations",
  "packages/kernel/src/data/jmespath/functions/array-functions.ts": "the arguments of one call",
  "packages/segno/src/code/conformance-text.ts": "the checks of one agent",
  "packages/segno/src/code/status-text.ts": "the tasks of a template",
  "packages/segno/src/doctor/journal.ts": "the files of one store",
  "packages/segno/src/live/live-region.ts": "the rows of a terminal",
  "packages/segno/src/progress/step-table.ts": "the rows of a table",
  "packages/segno/src/doctor/checks.ts": "the findings of one check",
  "packages/segno/src/reports/doctor-report.ts": "the checks",
  "packages/segno/src/reports/init-report.ts": "the commands that are shown",
  "packages/segno/src/reports/execution-list.ts": "one page",
};

function filesThatSpread(): readonly string[] {
  return packageSources().filter(
    (file) =>
      !isTest(file) &&
      readText(file)
        .split("\n")
        .some((line) => SPREAD.test(line)),
  );
}

it("lists without an end are not spread into the arguments of a call", () => {
  expect(filesThatSpread().toSorted()).toEqual(Object.keys(BOUNDED).toSorted());
});
