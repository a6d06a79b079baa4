// Output that cannot be written, and an owner that does not answer: neither may keep a command from its work, or from ending.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { exitOnBrokenPipe, streamError } from "../src/terminal/terminal.ts";
import { COMMAND } from "./run-segno.ts";
import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

const FULL = "/dev/full";

/** The command with stdout or stderr, or both, on a device that is always full. */
async function runOnFull(
  words: readonly string[],
  full: { readonly out: boolean; readonly err: boolean },
): Promise<{
  exitCode: number | null;
  text: string;
}> {
  const device = openSync(FULL, "w");
  const { PATH, XDG_STATE_HOME } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...words], {
    cwd: shop.folder,
    env: { PATH, XDG_STATE_HOME },
    stdio: ["ignore", full.out ? device : "pipe", full.err ? device : "pipe"],
  });
  closeSync(device);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, text };
}

const readStatus = async (id: string): Promise<string | undefined> =>
  (await shop.json<Listing>("list")).executions.find((execution) => execution.id === id)?.status;

describe.runIf(existsSync(FULL))("a run whose output is full", () => {
  it("FILE_UNWRITABLE completes, and says that its result is lost", async () => {
    const { exitCode, text } = await runOnFull(["run", "quick.yaml", "--id", "out"], { out: true, err: false });
    expect(await readStatus("out")).toBe("completed");
    expect(exitCode).toBe(3);
    expect(text).toContain("segno: FILE_UNWRITABLE the result could not be written to stdout (ENOSPC");
    expect(text).not.toMatch(/^ {4}at /mu);
  });

  it("completes without its diagnostics", async () => {
    const { exitCode, text } = await runOnFull(["run", "lively.yaml", "--id", "err"], { out: false, err: true });
    expect([exitCode, text, await readStatus("err")]).toEqual([0, "", "completed"]);
  });

  it("completes with neither", async () => {
    const { exitCode } = await runOnFull(["run", "quick.yaml", "--id", "both", "--jsonl"], { out: true, err: true });
    expect([exitCode, await readStatus("both")]).toEqual([3, "completed"]);
  });
});

it("output that cannot be written for now is lost, and ends nothing", () => {
  const stream = new PassThrough();
  exitOnBrokenPipe([stream]);
  const error = Object.assign(new Error("try again"), { code: "EAGAIN" });
  stream.emit("error", error);
  expect(streamError(stream)).toBe(error);
});

it("CANCEL-1 a run that follows a stopped owner ends on SIGTERM, and leaves its cancellation in the inbox", async () => {
  writeFileSync(
    shop.path("brief.yaml"),
    "name: brief\ngrace: 10ms\nsteps:\n  - { id: gate, wait: { signal: never } }\n",
  );
  const owner = shop.start(["run", "endless.yaml", "--id", "owner"]);
  await owner.reports(/gate waits/u);
  const follower = shop.start(["run", "brief.yaml", "--id", "followed"]);
  await follower.reports(/this command follows it/u);
  await follower.reports(/gate waits/u);
  owner.send("SIGSTOP");
  follower.send("SIGTERM");
  const run = await follower.ended;
  expect(run).toMatchObject({ exitCode: 143, stdout: "" });
  expect(run.stderr).toContain("the command detached before the execution ended");
  owner.send("SIGCONT");
  const watching = await shop.run(["watch", "followed"]);
  expect(watching.exitCode).toBe(1);
  expect(await readStatus("followed")).toBe("cancelled");
  owner.send("SIGTERM");
  await owner.ended;
});
