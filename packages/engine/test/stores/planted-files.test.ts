// Things in the folder of a store that are no files of Segno, under the names that SQLite and Segno use.

import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Engine, repairFile } from "../../src/index.ts";
import { completeExecutions } from "../../src/store/sqlite/completion-lookup.ts";
import { inspectOrigin, inspectSchema } from "../../src/store/sqlite/inspection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { refusal } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
/** A system tool that is not part of the repository. */
const MAKE_PIPE = "mkfifo";
let file: string;

const PLANTS: Readonly<Record<string, (path: string) => unknown>> = {
  "a folder": (path) => mkdirSync(path),
  "a pipe": (path) => spawnSync(MAKE_PIPE, [path]),
  "a link to itself": (path) => symlinkSync(basename(path), path),
  "a link to nothing": (path) => symlinkSync("nothing", path),
  "a hard link": (path) => linkSync(otherFile(), path),
};

/** A file of the user that has nothing to do with the store. */
function otherFile(): string {
  const path = `${file}.other`;
  writeFileSync(path, "precious");
  return path;
}

const CASES = ["-wal", "-shm", "-journal"].flatMap((suffix) =>
  Object.keys(PLANTS).map((what) => [what, suffix] as const),
);

beforeEach(async () => {
  file = scratch.file();
  const store = await openSqliteStore(file, { writer: "main" });
  await store.commit(batch(append("a", 0)));
  await store.close();
});

describe.runIf(process.platform === "linux")("in the folder of a store", () => {
  it.each(CASES)(
    "STORE_FOREIGN %s under the name of the store with %s is refused by all who open it",
    async (what, suffix) => {
      PLANTS[what]!(`${file}${suffix}`);
      for (const mode of ["own", "post", "readOnly"] as const)
        expect([mode, await refusal(Engine.open({ file, mode }))]).toEqual([mode, "STORE_FOREIGN"]);
      for (const options of [{ foreign: "refuse" }, { resume: "own" }] as const)
        expect(await refusal(Engine.open({ file, ...options }))).toBe("STORE_FOREIGN");
      expect(await refusal(repairFile(file))).toBe("STORE_FOREIGN");
      expect(await refusal((async () => inspectOrigin(file))())).toBe("STORE_FOREIGN");
      expect(await refusal((async () => inspectSchema(file))())).toBe("STORE_FOREIGN");
      if (what === "a hard link") expect(readFileSync(`${file}.other`, "utf8")).toBe("precious");
      rmSync(`${file}${suffix}`, { recursive: true });
      await using engine = await Engine.open({ file });
      expect(engine.isOwner).toBe(true);
    },
  );

  it("STORE_FOREIGN a hard link under the name of the file that an owner locks is refused", async () => {
    rmSync(`${file}-owner`, { force: true });
    writeFileSync(`${file}.other`, "");
    linkSync(`${file}.other`, `${file}-owner`);
    expect(await refusal(Engine.open({ file }))).toBe("STORE_FOREIGN");
  });

  it("STORE_FOREIGN shell completion does not write to a file that a hard link leads to", () => {
    linkSync(otherFile(), `${file}-shm`);
    expect(() => completeExecutions(file, 1)).toThrow(/hard links/u);
    expect(readFileSync(`${file}.other`, "utf8")).toBe("precious");
  });

  it("STORE_FOREIGN a folder in the place of the record of the log is refused, and nothing is left beside it", async () => {
    rmSync(`${file}-log`, { force: true });
    mkdirSync(`${file}-log`);
    for (const foreign of ["accept", "refuse"] as const)
      expect(await refusal(Engine.open({ file, foreign }))).toBe("STORE_FOREIGN");
    await using engine = await Engine.open({ file, mode: "readOnly" });
    expect((await engine.list()).executions.length).toBe(1);
  });
});
