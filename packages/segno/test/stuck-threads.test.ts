// A thread inside a call of the system that does not return: it reads from a pipe that the test holds open.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";
import type { RunningSegno } from "./run-segno.ts";

const MAKE_PIPE = "mkfifo";
const MODULE = `import { readFileSync } from "node:fs";
export const read = (input) => readFileSync(input.pipe, "utf8");
`;
const CONTRACT = `
name: stuck
grace: 10ms
agents: { reader: { module: ./reader.mjs, export: read, thread: true } }
steps:
  - { id: s, agent: reader, input: { pipe: "\${ input.pipe }" } }
`;

let shop: CommandFixture;
let pipe: FileHandle | undefined;

beforeEach(async () => {
  shop = await CommandFixture.open();
  writeFileSync(shop.path("reader.mjs"), MODULE);
  writeFileSync(shop.path("stuck.yaml"), CONTRACT);
});

afterEach(async () => {
  await pipe?.close();
  pipe = undefined;
  await shop[Symbol.asyncDispose]();
});

/** Starts an execution; its thread reads from the pipe when this resolves. */
async function startStuck(id: string): Promise<RunningSegno> {
  const path = shop.path(`${id}.pipe`);
  execFileSync(MAKE_PIPE, [path]);
  const running = shop.start(["run", "stuck.yaml", "--id", id, "--input", JSON.stringify({ pipe: path })]);
  pipe = await open(path, "w");
  return running;
}

describe.skipIf(process.platform === "win32")("a command with a thread inside a call of the system", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("CANCEL-2 ends by %s, with %i", async (signal, exitCode) => {
    const running = await startStuck("cancelled");
    running.send(signal);
    await running.reports(/stuck cancelled in/u);
    running.send(signal);
    expect(await running.ended).toMatchObject({ exitCode, signal: null });
  });

  it.each([
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
  ] as const)("CANCEL-2 ends by %s, with %i, and the execution continues later", async (signal, exitCode) => {
    const running = await startStuck("detached");
    running.send(signal);
    expect(await running.ended).toMatchObject({ exitCode, signal: null });
    expect(await shop.json("show", "detached")).toMatchObject({ status: "running" });
  });

  it("CANCEL-2 ends with its exit code although no signal comes", async () => {
    const running = await startStuck("unsignalled");
    await shop.run(["cancel", "unsignalled"]);
    const { exitCode, stderr } = await running.ended;
    expect(stderr).toContain("a thread does not exit");
    expect(exitCode).toBe(1);
  });

  it("CANCEL-2 ends at the second signal also if it is a worker", async () => {
    const running = await startStuck("resumed");
    running.send("SIGHUP");
    await running.ended;
    await pipe?.close();
    const working = shop.start(["work"]);
    pipe = await open(shop.path("resumed.pipe"), "w");
    working.send("SIGTERM");
    await working.reports(/stopping; running steps have 5s/u);
    working.send("SIGTERM");
    expect(await working.ended).toMatchObject({ exitCode: 143, signal: null });
  });
});
