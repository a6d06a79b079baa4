import { describe, expect, it } from "vitest";
import { failureFingerprint } from "../../src/merging/failure-fingerprint.ts";
import type { ConflictingFile } from "../../src/model/merge-result.ts";

describe("the fingerprint of a failure", () => {
  it("CODE-7 ignores times, numbers, ids, colours and folders", () => {
    const fingerprint = (log: string): string => failureFingerprint({ kind: "check-failed", command: "npm test", log });
    const first = fingerprint(
      "run 12\n\u001b[31mError: expected 3\u001b[39m at /tmp/x1/src/a.ts:10 in 12 ms\ncommit 0a1b2c3d",
    );
    expect(fingerprint("run 13\nError: expected 4 at /tmp/x2/src/a.ts:11 in 9 ms\ncommit 9f8e7d6c")).toBe(first);
    expect(fingerprint("Error: cannot find module b")).not.toBe(first);
  });

  it("CODE-7 of a conflict is that of the versions of its files", () => {
    const file = (path: string, ...stages: string[]): ConflictingFile => ({ path, messages: [], stages });
    const of = (...files: ConflictingFile[]): string => failureFingerprint({ kind: "conflict", files });
    const [one, two] = [file("a", "1 x", "2 y"), file("b", "1 z")];
    expect(of(one, two)).toBe(of(two, one));
    expect(of(one)).not.toBe(of(one, two));
    expect(of(file("a", "1 x", "2 other"))).not.toBe(of(one));
  });
});
