import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { readContractFile } from "./contract-file.ts";
import { DOCUMENT_LIMITS } from "../document/document-limits.ts";
import { loadContract } from "./load-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-contract-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a contract's file", () => {
  it("CONTRACT-1 is read as it is", () => {
    const file = join(folder, "small.yaml");
    writeFileSync(file, "name: w\nsteps: []\n");
    expect(loadContract(readContractFile(file), { file }).name).toBe("w");
  });

  it("CONTRACT-9 of a hundred megabytes is cut just above the limit and refused", () => {
    const file = join(folder, "large.yaml");
    writeFileSync(file, "name: w\n");
    truncateSync(file, 100_000_000);
    const bytes = readContractFile(file);
    expect(bytes.byteLength).toBe(DOCUMENT_LIMITS.bytes + 1);
    expect(() => loadContract(bytes, { file })).toThrow(/at most 1,048,576 bytes/u);
  });

  it.each([
    ["that is missing", join(folder, "missing.yaml"), /there is no such file/u],
    ["that is a folder", folder, /it is a folder/u],
    ["below a file", join(folder, "small.yaml", "x"), /expected a contract's file/u],
  ])("CONTRACT-3 %s is one problem with the reason", (_, file, reason) => {
    expect(() => readContractFile(file)).toThrow(reason);
    expect(() => readContractFile(file)).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ code: "CONTRACT_UNREADABLE", file, line: 1, column: 1 })],
      }) as Error,
    );
  });
});
