// Every error code is used, documented and tested; each package declares its own codes, and only the command names commands.

import { describe, expect, it } from "vitest";

import { CONTRACT_CODES } from "../packages/contract/src/errors/error-codes.ts";
import { ENGINE_CODES } from "../packages/engine/src/errors/catalogue.ts";
import { KERNEL_CODES } from "../packages/kernel/src/errors/catalogue.ts";
import { PLANNER_CODES } from "../packages/planner/src/errors/error-codes.ts";
import { CATALOGUE } from "../packages/segno/src/errors/catalogue.ts";
import { COMMAND_CODES } from "../packages/segno/src/errors/command-codes.ts";
import { FACE_CODES } from "../packages/segno/src/errors/face-codes.ts";
import { withoutComments } from "./import-statements.ts";
import { filesUnder, isTest, packageSources, readText } from "./repository.ts";

/** The files that declare codes, or what the command says about a code. */
const DECLARATIONS = /^packages\/[a-z]+\/src\/(?:errors\/)?[a-z]+-(?:codes|remedies)\.ts$/u;
const CODES: readonly string[] = Object.keys(CATALOGUE);

const code = filesUnder("packages").filter((file) => file.endsWith(".ts") && !DECLARATIONS.test(file));
const toText = (files: readonly string[]): string => files.map(readText).join("\n");
const missingFrom = (text: string): string[] => CODES.filter((each) => !new RegExp(`\\b${each}\\b`, "u").test(text));

describe("error codes", () => {
  it("are words in capitals", () => {
    expect(CODES.filter((each) => !/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/u.test(each))).toEqual([]);
  });

  it("are all used outside the catalogue", () => {
    expect(missingFrom(toText(code.filter((file) => file.includes("/src/") && !isTest(file))))).toEqual([]);
  });

  it("are all mentioned by a test", () => {
    // A suite that several implementations share, such as that of the stores, stands below test/ and is run by theirs.
    const tests = code.filter((file) => isTest(file) || /^packages\/[^/]+\/test\//u.test(file));
    expect(missingFrom(toText(tests))).toEqual([]);
  });

  it("are all documented", () => {
    expect(missingFrom(readText("docs/reference/errors.md"))).toEqual([]);
  });
});

describe("the packages below the command, and the faces", () => {
  const kernel = Object.keys(KERNEL_CODES);
  const planner = Object.keys(PLANNER_CODES);
  const contract = Object.keys(CONTRACT_CODES);
  const engine = Object.keys(ENGINE_CODES);
  const faces = Object.keys(FACE_CODES);
  const KNOWN: Readonly<Record<string, readonly string[]>> = {
    kernel,
    planner: [...kernel, ...planner],
    contract: [...kernel, ...planner, ...contract],
    engine: [...kernel, ...contract, ...engine],
    faces: [...kernel, ...planner, ...contract, ...engine, ...faces],
  };
  const catalogueName = (file: string): string =>
    /^packages\/segno\/src\/(?:actions|engines|batch)\//u.test(file) ? "faces" : file.split("/")[1]!;
  const sources = packageSources().filter((file) => !isTest(file) && KNOWN[catalogueName(file)] !== undefined);

  it("declare each code once", () => {
    const all = [kernel, planner, contract, engine, faces, Object.keys(COMMAND_CODES)].flat();
    expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
  });

  it("throw only codes that they or the packages below them declare", () => {
    const wrong = sources.flatMap((file) =>
      [...readText(file).matchAll(/\bnew (?:SegnoError|StoreFault|BatchError)\(\s*"(?<code>[^"]+)"/gu)]
        .map((match) => match.groups!["code"]!)
        .filter((each) => !KNOWN[catalogueName(file)]!.includes(each))
        .map((each) => `${file} throws ${each}`),
    );
    expect(wrong).toEqual([]);
  });

  it("use no code of a package above them", () => {
    const wrong = sources.flatMap((file) => {
      const known = KNOWN[catalogueName(file)]!;
      const words = withoutComments(readText(file)).match(/(?<=")[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=")/gu) ?? [];
      return words
        .filter((each) => CODES.includes(each) && !known.includes(each))
        .map((each) => `${file} uses ${each}`);
    });
    expect(wrong).toEqual([]);
  });

  it("name no command in what they say: the command adds it", () => {
    const wrong = sources.filter((file) => /[`"'](?:npx )?segno [a-z]/u.test(withoutComments(readText(file))));
    expect(wrong).toEqual([]);
  });
});
