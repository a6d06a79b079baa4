// segno/batch as people import it: its examples run, and what it exports is all there is.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as batch from "../src/batch.ts";
import { runExample } from "./run-example.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../../examples/batch");
const folder = mkdtempSync(join(tmpdir(), "segno-batch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("segno/batch", () => {
  it("BEYOND-1 exports one function and one error", () => {
    expect(Object.keys(batch).toSorted()).toEqual(["BatchError", "executeBatch"]);
  });

  it("BEYOND-1 the example runs chunks, a stream and windows", async () => {
    const { code, stdout } = await runExample(EXAMPLES, ["batch.ts"]);
    expect([code, stdout.split("\n")]).toEqual([
      0,
      [
        "completed 7 words, 27 letters",
        "0 ONE",
        "1 TWO",
        "2 THREE",
        "3 failed: too square",
        "4 FIVE",
        "5 SIX",
        "6 SEVEN",
        "6 processed, 1 failed",
        "[ 1, 2, 3, 4, 5, 6 ]",
        "",
      ],
    ]);
  });

  it("JOURNAL-3 BEYOND-1 the durable example goes on after it was killed, and does no chunk twice", async () => {
    const file = join(folder, "invoices.db");
    const killed = await runExample(EXAMPLES, ["durable.ts", file], (stdout, child) => {
      if (stdout.includes("chunk 2")) child.kill("SIGKILL");
    });
    expect([killed.code, killed.stdout]).toEqual([null, "chunk 0 of 3\nchunk 1 of 3\nchunk 2 of 3\n"]);
    const result = "completed [ 30, 120, 210, 300 ]\n";
    expect(await runExample(EXAMPLES, ["durable.ts", file])).toEqual({
      code: 0,
      stdout: `chunk 2 of 3\nchunk 3 of 3\n${result}`,
    });
    expect(await runExample(EXAMPLES, ["durable.ts", file])).toEqual({ code: 0, stdout: result });
  });
});
