// Reports of problems: each once, with the step and the field, and the command that helps.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const FILES: Readonly<Record<string, string>> = {
  "regions.yaml": `
name: regions
steps:
  - id: each
    map: { over: input, label: "\${ item }", concurrency: 1, steps: [{ id: say, run: "exit 3" }] }
`,
  "nested.yaml": `
name: nested
steps:
  - { id: tolerated, run: exit 1, onError: continue }
  - { id: call, workflow: regions, input: [eu, us], dependsOn: [{ step: tolerated, on: settled }] }
`,
  "shape.yaml": `
name: shape
steps:
  - { id: x, run: exit 0, output: { select: "{ code: exitCode }", schema: { type: object, required: [b], properties: { code: { type: string } } } } }
`,
  "calls.yaml": `
name: calls
secrets: [one, two]
steps:
  - { id: first, run: exit 0, env: { A: "\${ secrets.one }", B: "\${ secrets.two }" } }
  - { id: second, workflow: deeper }
`,
  "deeper.yaml": 'name: deeper\nsecrets: [three]\nsteps: [{ id: a, run: exit 0, env: { C: "${ secrets.three }" } }]\n',
  "nobody.yaml": "name: nobody\nsteps: [{ id: a, agent: nobody }, { id: c, wait: { for: 1ms }, dependsOn: [a] }]\n",
  "asks.yaml": "name: asks\nsteps: [{ id: ask, approve: { by: [ann, bob], quorum: 2 } }]\n",
};

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  for (const [name, text] of Object.entries(FILES)) await writeFile(shop.path(name), text);
});
afterAll(() => shop[Symbol.asyncDispose]());

/** Lines without what changes from run to run. */
function readLines(text: string): readonly string[] {
  return text.split("\n").map((line) => line.replaceAll(/\d+(?:\.\d+)?m?s\b/gu, "0s").replaceAll(/ {2,}/gu, "  "));
}

describe("a failure inside of others", () => {
  it("STATE-10 SCOPE_FAILED is told where it happened; scopes name the step, and so do the last line and what comes next", async () => {
    const { stderr, exitCode } = await shop.run(["run", "nested.yaml", "--id", "deep"]);
    expect(exitCode).toBe(1);
    const lines = readLines(stderr);
    expect(lines.filter((line) => line.startsWith("✗"))).toEqual([
      "✗ tolerated the command ended with exit code 1 (0s)",
      "✗ call/each/0 (eu) the command ended with exit code 3 (0s)",
      "✗ call/each `call/each/0` failed (0s)",
      "✗ call `call/each/0` failed (0s)",
      "✗ tolerated  failed  1  0s  the command ended with exit co…",
      "✗ call → regions  failed  -  0s  `call/each/0` failed",
      "✗ └ each  failed  -  0s  `call/each/0` failed",
      "✗  ├ 0 (eu)  failed  1  0s  the command ended with exit co…",
    ]);
    expect(lines.slice(-6, -1)).toEqual([
      "COMMAND_FAILED `call/each/0` failed: the command ended with exit code 3",
      "nested failed in 0s: 3 failed, 1 of 2 items failed",
      "next: segno logs deep call/each/0",
      "  segno explain COMMAND_FAILED",
      "  segno retry deep",
    ]);
  });

  it("BEYOND-1 a label of two letters is shown by `show`, and the culprit is named there too", async () => {
    const lines = readLines((await shop.run(["show", "deep"])).stdout);
    expect(lines).toContain("✗  ├ 0 (eu)  failed  1  0s  the command ended with exit co…");
    expect(lines).toContain("-  └ 1 (us)  skipped  -  -  `call/each/0` failed");
    expect(lines).toContain("next: segno logs deep call/each/0");
  });
});

describe("what does not fit or is missing", () => {
  it("OUTPUT_INVALID names the fields", async () => {
    const lines = readLines((await shop.run(["run", "shape.yaml", "--id", "shaped"])).stderr);
    expect(lines).toContain("OUTPUT_INVALID the output: `b` is missing; `code` must be string");
    expect(lines).toContain("next: segno logs shaped x");
  });

  it("SECRET_MISSING DATA-9 a start warns of every secret that is missing, also those of the workflows that are called", async () => {
    const { stderr } = await shop.run(["run", "calls.yaml"]);
    const missing = ["one", "two", "three"].map(
      (name) =>
        `there is no secret \`${name}\` in \`SEGNO_SECRET_${name.toUpperCase()}\` and \`${name}\` of the environment`,
    );
    expect(readLines(stderr)[0]).toBe(
      `warning SECRET_MISSING ${missing.join("; ")}; a step that needs it parks the execution until a process has it`,
    );
  });
});

describe("what stands still", () => {
  it("FAIL-9 SCHED-7 why on a parked execution names what is missing, and promises nothing", async () => {
    await shop.run(["run", "nobody.yaml", "--id", "lonely"]);
    expect((await shop.run(["why", "lonely"])).stdout).toBe(
      [
        "lonely parked",
        "the execution is parked: no agent or function is registered for `nobody`; `segno work --import FILE` continues it",
        "  a  `a` cannot start: no agent or function is registered for `nobody`",
        "  c  `c` waits for `a`",
        "",
      ].join("\n"),
    );
    expect((await shop.run(["retry", "lonely"])).stderr).toContain("segno work --import FILE continues it");
    expect((await shop.run(["show", "lonely"])).stdout).not.toContain("segno resume");
  });

  it("STATE-10 an execution whose process died is orphaned, and its step is lost; what comes next is to answer it", async () => {
    const asks = shop.start(["run", "asks.yaml", "--id", "asked", "--db", "dead.db"]);
    await asks.reports(/ask waits for approval/u);
    const next = async (): Promise<readonly string[]> =>
      readLines((await shop.run(["show", "asked", "--db", "dead.db"])).stdout).slice(-4);
    expect(await next()).toEqual([
      "",
      "next: segno approve asked ask --by ann --db dead.db",
      "  segno watch asked --db dead.db",
      "",
    ]);
    asks.send("SIGKILL");
    await asks.ended;
    const chatty = shop.start(["run", "chatty.yaml", "--id", "killed", "--db", "dead.db"]);
    await chatty.reports(/hello/u);
    expect((await shop.run(["list", "--db", "dead.db"])).stdout).toMatch(/killed +chatty +running/u);
    chatty.send("SIGKILL");
    await chatty.ended;
    expect((await shop.run(["list", "--db", "dead.db"])).stdout).toMatch(/killed +chatty +orphaned +0\/1/u);
    const shown = readLines((await shop.run(["show", "killed", "--db", "dead.db"])).stdout);
    expect(shown[0]).toBe("chatty killed orphaned for 0s");
    expect(shown[2]).toBe("no process runs it");
    expect(shown).toContain("! gate  lost  1  0s");
    expect(await next()).toEqual([
      "next: segno approve asked ask --by ann --db dead.db",
      "  segno work --db dead.db",
      "  segno watch asked --db dead.db",
      "",
    ]);
    expect((await shop.run(["why", "killed", "--db", "dead.db"])).stdout).toBe(
      "killed orphaned\nno process runs it; to resume it: segno work --db dead.db\n  gate  `gate` was running, attempt 1, when its process ended\n",
    );
    expect(await shop.json("show", "killed", "--db", "dead.db")).toMatchObject({ status: "running", orphaned: true });
  });
});
