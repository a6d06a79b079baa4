import { describe, expect, it } from "vitest";

import { CATALOGUE, type ErrorCode } from "./catalogue.ts";
import { exitCodeOfError, exitCodeOfExecution } from "./exit-code.ts";

const CODES = Object.keys(CATALOGUE) as ErrorCode[];
const isOfStore = (code: ErrorCode): boolean =>
  code.startsWith("STORE_") && code !== "STORE_EXISTS" && code !== "STORE_FOREIGN";

describe("the exit code of an error", () => {
  it.each([
    ["CONTRACT_SYNTAX", 3],
    ["INPUT_INVALID", 3],
    ["EXPORT_INVALID", 3],
    ["SECRET_MISSING", 3],
    ["EXECUTION_AMBIGUOUS", 2],
    ["EXECUTION_UNKNOWN", 5],
    ["STEP_UNKNOWN", 5],
    ["JOURNAL_MISSING", 5],
    ["EXECUTION_EXISTS", 6],
    ["STORE_EXISTS", 6],
    ["DOCUMENT_CHANGED", 6],
    ["DOCUMENT_INVALID", 3],
    ["STORE_FOREIGN", 6],
    ["ENGINE_NOT_OWNER", 6],
    ["EXECUTION_TIMEOUT", 124],
  ] as const)("%s is %i", (code, exitCode) => {
    expect(exitCodeOfError(code)).toBe(exitCode);
  });

  it("is 7 for every fault of the store, and for nothing else", () => {
    expect(CODES.filter((code) => exitCodeOfError(code) === 7)).toEqual(CODES.filter(isOfStore));
  });
});

describe("the exit code of an execution", () => {
  it.each([
    ["completed", undefined, 0],
    ["failed", "COMMAND_FAILED", 1],
    ["failed", "EXECUTION_TIMEOUT", 124],
    ["cancelled", undefined, 1],
    ["parked", undefined, 1],
  ] as const)("that is %s with %s is %i", (status, code, exitCode) => {
    const failure = code === undefined ? undefined : { class: "permanent" as const, code, message: "" };
    expect(exitCodeOfExecution(status, failure)).toBe(exitCode);
  });
});
