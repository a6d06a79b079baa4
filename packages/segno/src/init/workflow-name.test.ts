import { loadContract } from "@segno/contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { nameFrom, nameProblem, yamlName } from "./workflow-name.ts";

describe("the name of a first workflow", () => {
  it.each([
    ["My Project!", "my-project"],
    [".hidden", "hidden"],
    ["release-2.0", "release-2.0"],
    ["日本", "first"],
    ["", "first"],
  ])("from the folder %j is %s", (folder, name) => {
    expect(nameFrom(folder)).toBe(name);
  });

  it("is a name whatever the folder is called", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (folder) => nameProblem(nameFrom(folder)) === undefined));
  });

  it.each(["../up", "a/b", "", "-x", ".x", "a b", "x".repeat(129), "é"])("is not %j", (name) => {
    expect(nameProblem(name)).toContain("a name has letters");
  });

  it("is the same text after YAML has read it", () => {
    const names = fc.oneof(
      fc.constantFrom("true", "NULL", "no", "1.0", "0x1F", "1e3", "2026-11-16", "_", ".5"),
      fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}$/u),
    );
    fc.assert(
      fc.property(
        names.filter((name) => nameProblem(name) === undefined),
        (name) => loadContract(`name: ${yamlName(name)}\nsteps: []\n`).name === name,
      ),
    );
  });
});
