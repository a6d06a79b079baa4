// The glossary has every concept under the word that the code uses, and the folder in which a newcomer finds it.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { exportedNames } from "./exported-names.ts";
import { withoutComments } from "./import-statements.ts";
import { ROOT, filesUnder, isTest, packageSources, readText } from "./repository.ts";

/** An entry and its continuation lines, as one line each. */
const entries = readText("docs/glossary.md")
  .replaceAll(/\n {2}/gu, " ")
  .split("\n")
  .filter((line) => line.startsWith("- **"));

/** The names of classes and types that an entry lists behind "In code:". */
const namesInCode: readonly string[] = entries.flatMap((entry) =>
  [...(/\bIn code: (.*)$/u.exec(entry)?.[1] ?? "").matchAll(/`(\w+)`/gu)].map(([, name]) => name!),
);

describe("docs/glossary.md", () => {
  it("says of every concept where it lives or is planned", () => {
    expect(entries.filter((entry) => !/\b(?:Lives in|Planned for) `[^`]+`/u.test(entry))).toEqual([]);
  });

  it("names folders that exist", () => {
    const homeless = entries.filter((entry) => {
      const home = /\bLives in `([^`]+)`/u.exec(entry);
      return home !== null && !existsSync(join(ROOT, home[1]!));
    });
    expect(homeless).toEqual([]);
  });

  it("has each concept once, and each name of the code once", () => {
    const terms = entries.map((entry) => /^- \*\*([^*]+)\*\*/u.exec(entry)![1]!);
    expect(repeated(terms)).toEqual([]);
    expect(repeated(namesInCode)).toEqual([]);
  });

  it("lists every exported class and type of kernel, engine and segno that is a concept", () => {
    const listed = new Set(namesInCode);
    expect(conceptNames().filter((name) => !listed.has(name))).toEqual([]);
  });

  it("lists only classes and types that exist", () => {
    const declared = declaredNames();
    expect(namesInCode.filter((name) => !declared.has(name))).toEqual([]);
  });
});

/** Endings of names that belong to a concept and are none themselves, each with the reason. */
const ENDINGS: Readonly<Record<string, string>> = {
  Arguments: "the arguments of a function",
  Code: "the codes of errors or findings",
  Config: "the arguments of a function",
  Document: "a part of a contract as it is written; docs/reference/contract.md has all",
  Error: "an error; docs/reference/errors.md has the codes",
  Fields: "the arguments of a factory",
  Filter: "the argument of a search",
  Function: "the signature of a function that a program gives",
  Handler: "the signature of a function that a program gives",
  Kind: "the kinds of a union",
  Limits: "numbers in options",
  Listener: "the signature of a function that a program gives",
  Method: "the signature of a function of a logger",
  Options: "the arguments of a function",
  Output: "the return value of a step or a function",
  Report: "the return value of a function",
  Result: "the return value of a function",
  Results: "the return value of a function",
  Snapshot: "a view of a state",
};

/** JSON and general data structures are not concepts of Segno. */
const FOREIGN = /^(?:Json(?:[A-Z].*)?|Fifo|Heap|LinkedList)$/u;

/** Folders of the engine whose classes are concepts, because a reader meets all of them there. */
const MECHANISMS: readonly string[] = ["attempts", "executions", "inbox", "ownership", "scheduler", "turn"];

const isConcept = (name: string): boolean =>
  !FOREIGN.test(name) && !Object.keys(ENDINGS).some((ending) => name.endsWith(ending));

/** The exports of the packages' entries, and the classes of the engine's mechanisms. */
function conceptNames(): string[] {
  const published = ["kernel", "engine", "segno"].flatMap(entryFiles).flatMap((file) => exportedNames(readText(file)));
  const classes = MECHANISMS.flatMap((folder) => filesUnder(`packages/engine/src/${folder}`))
    .filter((file) => file.endsWith(".ts") && !isTest(file))
    .flatMap((file) => [...withoutComments(readText(file)).matchAll(/^export (?:abstract )?class (\w+)/gmu)])
    .map(([, name]) => name!);
  return [...new Set([...published, ...classes])].filter(isConcept).toSorted();
}

/** The source files that the `exports` of a package name. */
function entryFiles(name: string): string[] {
  const { exports } = JSON.parse(readText(`packages/${name}/package.json`)) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return Object.values(exports)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `packages/${name}/${file.replace(/^\.\//u, "")}`);
}

function declaredNames(): ReadonlySet<string> {
  const sources = packageSources().filter((file) => !isTest(file));
  const declared = sources.flatMap((file) => [
    ...withoutComments(readText(file)).matchAll(
      /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type) (\w+)|\bas (\w+)/gmu,
    ),
  ]);
  return new Set(declared.map(([, name, alias]) => name ?? alias!));
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
