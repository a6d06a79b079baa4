// Closing: threads end whatever they do, and none keeps the process alive.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SCENES } from "./close-process.ts";
import { toFailure, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

afterEach(() => {
  vi.useRealTimers();
});

const MODULE = `
  export const quick = () => "done";
  export const loop = (input, { log }) => { log.info("began"); for (;;); };
`;

const MAKE_PIPE = "mkfifo";
const STUCK = "a thread does not exit: it is inside a call of the system, which may continue";

const SAID: Readonly<Record<(typeof SCENES)[number], string>> = {
  resting: "end+exited end+exited end+exited\n",
  "resting, then closed": "end+exited end+exited end+exited\nleft: \n",
  "looping, then closed": "exited exited exited\nleft: \n",
  "closed before they began": "exited exited exited\nleft: \n",
};

const FILE = new URL("close-process.ts", import.meta.url);

/** The output and exit code of a process. */
async function runProcess(...argv: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return [stdout, stderr, exitCode];
}

describe("a process whose threads are", () => {
  it.each(SCENES)("CANCEL-2 %s exits by itself", async (scene) => {
    expect(await runProcess(fileURLToPath(FILE), scene, fixture.module(MODULE))).toEqual([SAID[scene], "", 0]);
  });

  it("CANCEL-2 started from a program without a file, with a flag that files may not have, exits by itself", async () => {
    const program = `await (await import(${JSON.stringify(FILE.href)})).runScene("resting", ${JSON.stringify(fixture.module(MODULE))})`;
    expect(await runProcess("--input-type=module", "--eval", program, "unused")).toEqual([SAID.resting, "", 0]);
  });
});

describe("a runner that is closed", () => {
  it("CANCEL-1 starts nothing more", async () => {
    const path = fixture.module(MODULE);
    await fixture.runner.close();
    const { attempt } = fixture.start(path, { exportName: "quick" });
    expect(attempt.calls).toEqual([]);
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", message: "the engine is closed" });
    await fixture.runner.close();
  });

  it("CANCEL-2 TR6 does not wait for ever for a thread inside a call of the system, and reports it", async () => {
    const pipe = join(fixture.folder, "pipe");
    execFileSync(MAKE_PIPE, [pipe]);
    const path = fixture.module(
      `import { readFileSync } from "node:fs"; export default () => readFileSync(${JSON.stringify(pipe)}, "utf8");`,
    );
    const { attempt } = fixture.start(path);
    await using writer = await open(pipe, "w");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const closed = fixture.runner.close();
    await vi.advanceTimersByTimeAsync(5000);
    await closed;
    expect([attempt.calls, fixture.reports]).toEqual([[], [expect.objectContaining({ message: STUCK })]]);
    await writer.close();
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
  });
});
