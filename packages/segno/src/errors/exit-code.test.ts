import { describe, expect, it } from "vitest";

import { CATALOGUE, type ErrorCode } from "./catalogue.ts";
import { exitCodeOfError, exitCodeOfExecution } from "./exit-code.ts";

const CODES = Object.keys(CATALOGUE) as ErrorCode[];
/** The server cannot be reached, does not answer as Segno does, or is busy. */
const OF_SERVER: ReadonlySet<ErrorCode> = new Set([
  "HOST_REFUSED",
  "RATE_LIMITED",
  "ROUTE_UNKNOWN",
  "SERVER_ANSWER_INVALID",
  "SERVER_CLOSING",
  "SERVER_FAULT",
  "SERVER_UNREACHABLE",
  "STREAMS_LIMITED",
] as const);
const isOfStore = (code: ErrorCode): boolean =>
  code.startsWith("STORE_") && code !== "STORE_EXISTS" && code !== "STORE_FOREIGN";

describe("the exit code of an error", () => {
  it.each([
    ["CONTRACT_SYNTAX", 3],
    ["INPUT_INVALID", 3],
    ["EXPORT_INVALID", 3],
    ["SECRET_MISSING", 3],
    ["EXECUTION_AMBIGUOUS", 2],
    ["SERVER_ADDRESS_INVALID", 2],
    ["TOKEN_MISSING", 4],
    ["SCOPE_MISSING", 4],
    ["ORIGIN_REFUSED", 4],
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

  it("is 7 for every fault of the store and of the server, and for nothing else", () => {
    const unreachable = CODES.filter((code) => exitCodeOfError(code) === 7);
    expect(unreachable).toEqual(CODES.filter((code) => isOfStore(code) || OF_SERVER.has(code)));
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
