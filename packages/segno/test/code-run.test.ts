// `segno code run` with streams of events.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runSegno, type SegnoRun } from "./run-segno.ts";

let folder = "";

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trim();
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-code-run-"));
  git("init", "--quiet", "--initial-branch=main");
  write("a.txt", "one\n");
  git("add", "a.txt");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "first");
  git("checkout", "--quiet", "-b", "mine");
  write("agent.sh", '#!/bin/sh\ncat > /dev/null\necho "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"\n');
  chmodSync(join(folder, "agent.sh"), 0o755);
  write(
    "one.yaml",
    'name: one\npolicies: { step: auto, workflow: auto }\nagent: a\nagents: { a: { command: ["{template}/agent.sh"] } }\ntasks: [{ id: one, instructions: work }]\n',
  );
  write("config.yaml", "executor: { events: { streams: [{ type: file, level: debug }, { type: stdout }] } }\n");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: readonly string[]): Promise<SegnoRun> {
  const ended = await runSegno(["code", "run", "one.yaml", ...words], { folder });
  expect(ended.exitCode, ended.stderr).toBe(0);
  return ended;
}

describe("segno code run", () => {
  it("CODE-10 CODE-13 has as many agents at work as the configuration allows", async () => {
    // No agent ends before all of them have begun.
    write(
      "together.sh",
      `#!/bin/sh\ncat > /dev/null\necho x >> '${folder}/begun'\nwhile [ $(wc -l < '${folder}/begun') -lt 12 ]; do sleep 0.1; done\n`,
    );
    chmodSync(join(folder, "together.sh"), 0o755);
    const tasks = Array.from({ length: 12 }, (_, index) => `  - { id: t${index}, instructions: work }\n`).join("");
    write(
      "many.yaml",
      `name: many\npolicies: { step: auto, workflow: auto }\nagent: a\nagents: { a: { command: ["{template}/together.sh"] } }\ntasks:\n${tasks}`,
    );
    write(
      "many-config.yaml",
      "executor: { scheduling: { max_parallel_tasks: 12 }, session: { max_concurrent_sessions: 12 } }\n",
    );
    const words = ["code", "run", "many.yaml", "--config", "many-config.yaml", "--json"];
    const { stdout } = await runSegno(words, { folder });
    expect(JSON.parse(stdout)).toMatchObject({ status: "completed" });
  });

  it("EVENT-3 writes events only to the streams that the configuration names", async () => {
    const { stdout } = await run("--json");
    expect(JSON.parse(stdout)).toMatchObject({ status: "completed" });
    expect(git("show", "main:one.txt")).toBe("one");
  });

  it("EVENT-3 has written all events to a file and to stdout when it ends", async () => {
    const { stdout } = await run("--config", "config.yaml", "--quiet");
    const lines = readFileSync(join(folder, ".segno/logs/execution.log"), "utf8").trim().split("\n");
    const messages = lines.map((line) => (JSON.parse(line) as { readonly message: string }).message);
    expect([messages[0], messages.at(-1)]).toEqual(["Workflow started", "Workflow completed"]);
    expect(stdout).toContain('"message":"Workflow completed"');
    expect(stdout).not.toContain("Session created");
  });
});
