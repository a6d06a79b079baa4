// The examples run, and print what they promise. Contracts are run by the command as a reader would type it, in a folder of
// their own; programs by Node.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const COMMAND = join(ROOT, "packages/segno/bin/segno.js");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-examples-"));
  cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  // Programs find `segno` as they would in a project that has installed it.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function node(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { child, ended } = started(words, environment);
  child.stdin.end();
  return ended;
}

function started(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, words, { cwd: folder, env: { ...process.env, NO_COLOR: "1", ...environment } });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
  const ended = new Promise<Ended>((end) => {
    child.once("close", (code) => end({ code, stdout: stdout.join(""), stderr: stderr.join("") }));
  });
  return { child, ended, stdout };
}

async function readOutput(example: string, ...words: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await node([COMMAND, "run", `examples/${example}`, ...words]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as unknown;
}

describe("contracts", () => {
  it("hello greets", async () => {
    const { code, stderr } = await node([COMMAND, "run", "examples/hello/hello.yaml", "--input", '{"name":"Ada"}']);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Hello, Ada")]);
  });

  it("release runs side by side, tries once more, and uses what came out", async () => {
    expect(await readOutput("release/release.yaml", "--quiet")).toEqual({
      published: "v1",
      says: "publishing dist/app-v1.tgz\nWhat is new in v1 (42 tests passed)",
    });
    const { stdout } = await node([COMMAND, "show", "@last", "--json"]);
    const { steps } = JSON.parse(stdout) as { steps: { name: string; attempts: number }[] };
    expect(steps.find(({ name }) => name === "test")?.attempts).toBe(2);
  });

  it("fan-out joins", async () => {
    expect(await readOutput("fan-out/fan-out.yaml")).toBe("12");
  });

  it("FAIL-2 STATE-8 fallback tries again and has a stand-in", async () => {
    expect(await readOutput("fallback/fallback.yaml")).toBe("third time lucky, from the origin");
  });

  it("SCHED-4 resources are used by one at a time, and so often in a while", async () => {
    expect(await readOutput("resources/resources.yaml")).toBe("four, two seconds later");
  });

  it("threads count primes", async () => {
    expect(await readOutput("threads/threads.yaml")).toEqual({ low: 9592, high: 8392 });
  });

  it("BEYOND-1 DATA-12 DATA-13 ci tests a matrix, keeps artifacts, and needs its secret only to publish", async () => {
    const reports = ["fast-22", "fast-24", "strict-22", "strict-24"].map((name) => `reports/${name}/report.json`);
    const expected = { passed: [22, 24, 22, 24], reports: "4", artifacts: ["app.tar", ...reports] };
    const plain = await node([COMMAND, "run", "examples/ci/ci.yaml"]);
    expect([plain.code, JSON.parse(plain.stdout)], plain.stderr).toEqual([0, { ...expected, published: null }]);
    expect(plain.stderr).toContain("warning SECRET_MISSING");
    const published = await node(
      [COMMAND, "run", "examples/ci/ci.yaml", "--input", '{"publish":true,"versions":[24]}'],
      {
        API_TOKEN: "correct-horse",
      },
    );
    expect(JSON.parse(published.stdout)).toMatchObject({ passed: [24, 24], published: "publishing with ***" });
  });

  it("DATA-9 secrets show nowhere, and only where they are asked for", async () => {
    const run = await node([COMMAND, "run", "examples/secrets/secrets.yaml"], { API_TOKEN: "correct-horse" });
    expect(JSON.parse(run.stdout)).toEqual({ login: "logging in with ***\n***", other: "nothing is inherited here" });
    expect(run.stdout + run.stderr).not.toMatch(/correct-horse|Y29ycmVjdC1ob3JzZQ/u);
  });

  it("DATA-9 a secret that is missing is said before anything starts, and parks the step that needs it", async () => {
    const { code, stderr } = await node([COMMAND, "run", "examples/secrets/secrets.yaml"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^warning SECRET_MISSING .*API_TOKEN.*! parked/su)]);
  });
});

describe("programs", () => {
  it("http asks a server, and asks again", async () => {
    const { code, stdout, stderr } = await node(["examples/http/http.ts"]);
    expect([code, stdout], stderr).toEqual([0, "{ sent: { to: 'Ada' } } after 2 greetings\n"]);
  });

  it("mixed has its graph in YAML and a step in TypeScript", async () => {
    const { stdout, stderr } = await node(["examples/mixed/mixed.ts"]);
    expect(stdout, stderr).toBe("2026-11-16 8 letters\n");
  });

  it("CANCEL-1 cancel lets a step clean up", async () => {
    const { stdout } = await node(["examples/cancel/cancel.ts"]);
    expect(stdout).toBe(
      "download: the half-finished file is removed\nthe execution … was cancelled: somebody changed their mind\ndownload cancelled\nunpack cancelled\n",
    );
  });

  it("JOURNAL-3 durable goes on where it was when it is killed and started again", async () => {
    const first = started(["examples/durable/durable.ts", "durable.db"]);
    while (!first.stdout.join("").includes("hotel")) await sleep(5);
    first.child.kill("SIGKILL");
    await first.ended;
    const { stdout, stderr } = await node(["examples/durable/durable.ts", "durable.db"]);
    expect(stdout, stderr).toContain("'insurance is done'");
    expect(stdout).not.toContain("working on flight");
  });
});
