// The folders of a package stand in one order, and no two files import each other, directly or by way of others.

import { posix } from "node:path";

import { describe, expect, it } from "vitest";

import { findCycle } from "./find-cycle.ts";
import { ENTRIES, FOLDER_ORDER } from "./folder-order.ts";
import { importedNames } from "./import-statements.ts";
import { foldersIn, isTest, packageSources, readText } from "./repository.ts";

/** The first part of the path below `src`: a folder, or a loose file. */
function topName(file: string): string {
  return file.split("/")[3]!;
}

function relativeImports(file: string): string[] {
  return importedNames(readText(file))
    .filter((name) => name.startsWith("."))
    .map((name) => posix.join(posix.dirname(file), name));
}

describe("the packages", () => {
  it("each have an order of folders", () => {
    expect(foldersIn("packages").filter((name) => FOLDER_ORDER[name] === undefined)).toEqual([]);
  });
});

describe.each(Object.entries(FOLDER_ORDER))("the folders of %s", (name, order) => {
  const sources = packageSources().filter((file) => file.startsWith(`packages/${name}/src/`) && !isTest(file));
  const isEntry = (file: string): boolean => ENTRIES[name]!.includes(topName(file));

  it("each have a place in the order", () => {
    expect(sources.filter((file) => !isEntry(file) && !order.includes(topName(file)))).toEqual([]);
  });

  it("import only folders that stand before them, types included", () => {
    const wrong = sources
      .filter((file) => !isEntry(file))
      .flatMap((file) =>
        relativeImports(file)
          .filter((target) => isEntry(target) || order.indexOf(topName(target)) > order.indexOf(topName(file)))
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it("have no files that import each other", () => {
    expect(findCycle(new Map(sources.map((file) => [file, relativeImports(file)])))).toEqual([]);
  });
});

describe("finding a cycle", () => {
  it("sees two files that import each other by way of a third, and none in a tree", () => {
    const ring = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a"]],
    ]);
    expect(findCycle(ring)).toEqual(["a", "b", "c"]);
    const tree = new Map([
      ["a", ["b", "c"]],
      ["b", ["c"]],
      ["c", []],
    ]);
    expect(findCycle(tree)).toEqual([]);
  });
});
