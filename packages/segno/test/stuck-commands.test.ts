// Commands that wait for something that does not come: a thread inside a call of the system, which reads from a pipe that
// the test holds open, and a journal that accepts nothing. Such a command ends after seconds, so the tests wait together.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";

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

class StuckThreads implements AsyncDisposable {
  readonly shop: CommandFixture;
  #pipe: FileHandle | undefined;

  private constructor(shop: CommandFixture) {
    this.shop = shop;
  }

  static async open(): Promise<StuckThreads> {
    const shop = await CommandFixture.open();
    writeFileSync(shop.path("reader.mjs"), MODULE);
    writeFileSync(shop.path("stuck.yaml"), CONTRACT);
    return new StuckThreads(shop);
  }

  /** Starts an execution; its thread reads from the pipe when this resolves. */
  async start(id: string): Promise<RunningSegno> {
    const path = this.shop.path(`${id}.pipe`);
    execFileSync(MAKE_PIPE, [path]);
    const running = this.shop.start(["run", "stuck.yaml", "--id", id, "--input", JSON.stringify({ pipe: path })]);
    this.#pipe = await open(path, "w");
    return running;
  }

  /** Starts a worker; its thread reads from the pipe when this resolves. */
  async resume(id: string): Promise<RunningSegno> {
    await this.#pipe?.close();
    const working = this.shop.start(["work"]);
    this.#pipe = await open(this.shop.path(`${id}.pipe`), "w");
    return working;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipe?.close();
    await this.shop[Symbol.asyncDispose]();
  }
}

// These take longest, so they come first.
describe.concurrent("a command whose journal cannot accept its start", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("CANCEL-2 ends on %s with %i", async (signal, exitCode) => {
    await using shop = await CommandFixture.open();
    await shop.run(["run", "quick.yaml"]);
    using journal = new DatabaseSync(shop.path(".segno/segno.db"));
    journal.exec("BEGIN IMMEDIATE");
    const running = shop.start(["run", "quick.yaml"]);
    await running.reports(/the store/u);
    running.send(signal);
    const { stderr, ...end } = await running.ended;
    expect(end).toMatchObject({ exitCode, stdout: "" });
    expect(stderr).toContain("stopped before the journal accepted this; it may still take effect");
  });
});

describe.skipIf(process.platform === "win32").concurrent("a command with a thread inside a call of the system", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("CANCEL-2 ends by %s, with %i", async (signal, exitCode) => {
    await using stuck = await StuckThreads.open();
    const running = await stuck.start("cancelled");
    running.send(signal);
    await running.reports(/stuck cancelled in/u);
    running.send(signal);
    expect(await running.ended).toMatchObject({ exitCode, signal: null });
  });

  it.each([
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
  ] as const)("CANCEL-2 ends by %s, with %i, and the execution continues later", async (signal, exitCode) => {
    await using stuck = await StuckThreads.open();
    const running = await stuck.start("detached");
    running.send(signal);
    expect(await running.ended).toMatchObject({ exitCode, signal: null });
    expect(await stuck.shop.json("show", "detached")).toMatchObject({ status: "running" });
  });

  it("CANCEL-2 ends with its exit code although no signal comes", async () => {
    await using stuck = await StuckThreads.open();
    const running = await stuck.start("unsignalled");
    await stuck.shop.run(["cancel", "unsignalled"]);
    const { exitCode, stderr } = await running.ended;
    expect(stderr).toContain("a thread does not exit");
    expect(exitCode).toBe(1);
  });

  it("CANCEL-2 ends at the second signal also if it is a worker", async () => {
    await using stuck = await StuckThreads.open();
    const running = await stuck.start("resumed");
    running.send("SIGHUP");
    await running.ended;
    const working = await stuck.resume("resumed");
    working.send("SIGTERM");
    await working.reports(/stopping; running steps have 5s/u);
    working.send("SIGTERM");
    expect(await working.ended).toMatchObject({ exitCode: 143, signal: null });
  });
});
