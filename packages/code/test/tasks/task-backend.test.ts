import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { FileTaskBackend } from "../../src/tasks/file-tasks.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { describeTaskBackend, newTask, subjectOf } from "./task-backend-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-tasks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `deep/tasks-${files++}.jsonl`);

describeTaskBackend("memory", async (options) => subjectOf(new MemoryTaskBackend(options)));
describeTaskBackend("a file", async (options) => subjectOf(new FileTaskBackend(newFile(), options)));

describe("the file of tasks", () => {
  it("CODE-1 is the same for another process, and half a line at its end is cut off", async () => {
    const file = newFile();
    await new FileTaskBackend(file).createTask(newTask("a"));
    appendFileSync(file, '{"kind":"completed","id":"w-a');
    const other = new FileTaskBackend(file);
    expect(await other.getTask("w-a")).toMatchObject({ status: "open" });
    await other.failTask("w-a", "no");
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
    expect(await new FileTaskBackend(file).getTask("w-a")).toMatchObject({ status: "failed", error: "no" });
  });

  it.each(["not json", "null", "5", '{"kind":"created"}', '{"kind":"failed"}', '{"kind":"other","id":"a"}'])(
    "CODE-1 that has the line %s is an error that names the line",
    async (line) => {
      const file = newFile();
      await new FileTaskBackend(file).createTask(newTask("a"));
      appendFileSync(file, `${line}\n`);
      await expect(new FileTaskBackend(file).getTask("w-a")).rejects.toMatchObject({
        code: "TASK_FILE_INVALID",
        message: expect.stringContaining("line 2") as string,
      });
    },
  );

  it("CODE-1 gives each task to one of several processes", async () => {
    const file = newFile();
    const tasks = new FileTaskBackend(file);
    const names = Array.from({ length: 10 }, (_, index) => `t${index}`);
    for (const name of names) await tasks.createTask(newTask(name));
    const ids = names.map((name) => `w-${name}`);
    const program = `
      const { FileTaskBackend } = await import(${JSON.stringify(new URL("../../src/tasks/file-tasks.ts", import.meta.url).href)});
      const tasks = new FileTaskBackend(${JSON.stringify(file)});
      const got = [];
      for (const id of ${JSON.stringify(ids)}) if (await tasks.claimTask(id, String(process.pid))) got.push(id);
      console.log(JSON.stringify(got));
    `;
    const run = promisify(execFile);
    const answers = await Promise.all(
      [1, 2, 3].map(() => run(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })),
    );
    const claimed = answers.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(claimed.toSorted()).toEqual(ids);
  });
});
