import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { withFileLock } from "../../src/git/file-lock.ts";

describe("a lock between processes", () => {
  it("CODE-10 TASK_FILE_LOCKED is given up after a while, and taken when it is free", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-lock-"));
    const file = join(folder, "tasks.lock");
    const other = new DatabaseSync(file);
    try {
      other.exec("BEGIN EXCLUSIVE");
      await expect(withFileLock(file, async () => "work", 0)).rejects.toMatchObject({ code: "TASK_FILE_LOCKED" });
      other.exec("ROLLBACK");
      expect(await withFileLock(file, async () => "work")).toBe("work");
    } finally {
      other.close();
      rmSync(folder, { recursive: true });
    }
  });
});
