// A type name means one thing: each class, interface and type is declared in one source file of the repository.

import { describe, expect, it } from "vitest";

import { isTest, packageSources, readText } from "./repository.ts";
import { withoutComments } from "./import-statements.ts";

/** Names that stand twice, each for a reason. */
const DECLARED_TWICE: ReadonlyMap<string, string> = new Map([
  ["NodeOrchestrator", "source 003 names it; segno/planner extends the pure one with ids and a clock"],
  ["WorkflowDefinition", "sources 003 and 004 both name it; segno/planner and segno/engines publish one each"],
  ["WorkflowState", "sources 003 and 004 both name it; segno/planner and segno/engines publish one each"],
]);

const DECLARATION = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gmu;

/** The files in which each name is declared. */
function declarations(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>();
  for (const file of packageSources().filter((source) => !isTest(source))) {
    for (const [, name] of withoutComments(readText(file)).matchAll(DECLARATION)) {
      files.set(name!, (files.get(name!) ?? new Set()).add(file));
    }
  }
  return files;
}

describe("type names", () => {
  const several = [...declarations()].filter(([, files]) => files.size > 1);

  it("are declared in one source file each", () => {
    const unexpected = several.filter(([name]) => !DECLARED_TWICE.has(name));
    expect(unexpected.map(([name, files]) => `${name}: ${[...files].join(", ")}`)).toEqual([]);
  });

  it("have no exception that is not needed", () => {
    const names = new Set(several.map(([name]) => name));
    expect([...DECLARED_TWICE.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});
