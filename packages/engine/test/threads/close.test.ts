// Closing: threads end, whatever they do, and none of them keeps the process alive.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SCENES } from "./close-process.ts";
import { toFailure, useThreadFixture } from "./thread-fixture.ts";

const stage = useThreadFixture();

const MODULE = `
  export const quick = () => "done";
  export const loop = (input, { logger }) => { logger.info("began"); for (;;); };
`;

const SAID: Readonly<Record<(typeof SCENES)[number], string>> = {
  resting: "end+settled end+settled end+settled\n",
  "resting, then closed": "end+settled end+settled end+settled\nleft: \n",
  "looping, then closed": "settled settled settled\nleft: \n",
  "closed before they began": "settled settled settled\nleft: \n",
};

const FILE = new URL("close-process.ts", import.meta.url);

/** What a process said, and how it ended. */
async function processOf(...argv: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return [stdout, stderr, exitCode];
}

describe("a process whose threads are", () => {
  it.each(SCENES)("CANCEL-2 %s ends by itself", async (scene) => {
    expect(await processOf(fileURLToPath(FILE), scene, stage.module(MODULE))).toEqual([SAID[scene], "", 0]);
  });

  it("CANCEL-2 started from a program without a file, with a flag that no file may have, ends by itself", async () => {
    const play = `await (await import(${JSON.stringify(FILE.href)})).play("resting", ${JSON.stringify(stage.module(MODULE))})`;
    expect(await processOf("--input-type=module", "--eval", play, "unused")).toEqual([SAID.resting, "", 0]);
  });
});

describe("a runner that is closed", () => {
  it("CANCEL-1 begins nothing more", async () => {
    const path = stage.module(MODULE);
    await stage.runner.close();
    const { attempt } = stage.start(path, { exportName: "quick" });
    expect(attempt.story).toEqual([]);
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", message: "the engine is closed" });
    await stage.runner.close();
  });
});
