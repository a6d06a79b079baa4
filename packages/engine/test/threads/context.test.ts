// The context of a function on a thread, and the destination of its output and log lines.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { epochMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

describe("the context", () => {
  it("IDEM-4 has everything that a function of the engine's own thread gets", async () => {
    const text = `(input, { log, heartbeat, signal, ...context }) => ({
      input, context, isSignal: signal instanceof AbortSignal })`;
    const outcome = await fixture.run(text, {
      input: { a: 1 },
      deadline: epochMs(12_345),
      secrets: { KEY: "hush-hush" },
    });
    expect(toOutput(outcome)).toEqual({
      input: { a: 1 },
      isSignal: true,
      context: {
        input: { a: 1 },
        execution: { id: "execution-1", workflow: "sample", startedAt: 0, correlationId: "correlation" },
        step: { id: "step-1" },
        attempt: 2,
        deadline: 12_345,
        token: "token-1",
        secrets: { KEY: "hush-hush" },
        resources: {},
        artifacts: {},
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/u),
      },
    });
  });

  it("DATA-9 has the secrets of its own attempt, and no thread keeps them", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`export default (input, { secrets }) => ({
      secrets: Object.keys(secrets), isInEnvironment: JSON.stringify(process.env).includes("hush-hush") })`);
    const first = fixture.start(path, { secrets: { KEY: "hush-hush" } });
    const second = fixture.start(path);
    expect(toOutput(await first.attempt.outcome)).toEqual({ secrets: ["KEY"], isInEnvironment: false });
    expect(toOutput(await second.attempt.outcome)).toEqual({ secrets: [], isInEnvironment: false });
  });

  it("DATA-9 has the runner's environment, and changes to it stay in the thread", async () => {
    fixture.setUp({ env: { GIVEN: "yes" } });
    const text = `() => { process.env.CHANGED_ON_A_THREAD = "yes"; return { ...process.env }; }`;
    expect(toOutput(await fixture.run(text))).toEqual({ GIVEN: "yes", CHANGED_ON_A_THREAD: "yes" });
    expect(process.env["CHANGED_ON_A_THREAD"]).toBeUndefined();
  });
});

describe("the logger", () => {
  it("EVENT-5 writes to the attempt's logger, with fields and children, in order", async () => {
    const text = `(input, { log }) => {
      log.debug("plain");
      log.child({ part: 1, kind: "child" }).child({ part: 2 }).warn({ error: new RangeError("odd") }, "with fields");
      log.error({ work: () => 1, big: 10n }, "as text");
    }`;
    const { attempt } = fixture.start(fixture.module(`export default ${text}`));
    await attempt.outcome;
    expect(attempt.lines).toEqual([
      { level: "debug", message: "plain", fields: {} },
      {
        level: "warn",
        message: "with fields",
        fields: {
          part: 2,
          kind: "child",
          error: { name: "RangeError", message: "odd", stack: expect.stringContaining("RangeError: odd") as string },
        },
      },
      { level: "error", message: "as text", fields: { work: "() => 1", big: "10" } },
    ]);
  });

  it("EVENT-5 accepts values that cannot be read", async () => {
    const text = `(input, { log }) => {
      log.info({ get trap() { throw new Error("hands off"); } }, Symbol("odd"));
      log.info(undefined, "nothing");
      return "done";
    }`;
    const { attempt } = fixture.start(fixture.module(`export default ${text}`));
    expect(toOutput(await attempt.outcome)).toBe("done");
    expect(attempt.lines).toEqual([
      { level: "info", message: "Symbol(odd)", fields: { trap: "[unreadable]" } },
      { level: "info", message: "nothing", fields: {} },
    ]);
  });

  it("EVENT-5 blocks a function that writes faster than its lines are read", async () => {
    const mark = join(fixture.folder, "done");
    const { attempt } = fixture.start(
      fixture.module(`import { writeFileSync } from "node:fs";
        export default (input, { log }) => {
          for (let line = 0; line < 2000; line++) log.info("more");
          writeFileSync(input, "done");
        }`),
      { input: mark },
    );
    await attempt.said("more");
    // Nothing reads while this thread is blocked, so the other thread cannot get ahead by more than its limit.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
    expect(existsSync(mark)).toBe(false);
    await attempt.outcome;
    expect([existsSync(mark), attempt.lines.length]).toEqual([true, 2000]);
  });

  it("EVENT-5 loses nothing of endless output", async () => {
    const text = `(input, { log }) => { for (let line = 0; line < 20_000; line++) log.info({ line }, "more"); }`;
    const { attempt } = fixture.start(fixture.module(`export default ${text}`));
    await attempt.outcome;
    expect(attempt.lines.map(({ fields }) => fields["line"])).toEqual(
      Array.from({ length: 20_000 }, (_, line) => line),
    );
  });
});

describe("an attempt that has ended", () => {
  it("LEASE-2 writes no log lines and heartbeats in the name of the next one on its thread", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`let former;
      export default (input, context) => {
        former?.log.info("from the grave");
        former?.heartbeat();
        former = context;
      };`);
    const [first, second] = [fixture.start(path), fixture.start(path)];
    await second.attempt.outcome;
    expect([first.attempt, second.attempt].map(({ lines, beats }) => ({ lines, beats }))).toEqual([
      { lines: [], beats: 0 },
      { lines: [], beats: 0 },
    ]);
  });
});

describe("a heartbeat", () => {
  it("LEASE-3 reaches the engine", async () => {
    const { attempt } = fixture.start(fixture.module("export default (input, context) => context.heartbeat();"));
    await attempt.outcome;
    expect(attempt.beats).toBe(1);
  });

  it("LEASE-3 reaches the engine if it was destructured", async () => {
    const { attempt } = fixture.start(fixture.module("export default (input, { heartbeat }) => heartbeat();"));
    await attempt.outcome;
    expect(attempt.beats).toBe(1);
  });
});

describe("the output of a thread", () => {
  it("EVENT-5 to stdout and stderr goes to its attempt, complete and before its end", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`export default (input) => {
      for (let line = 0; line < 1000; line++) console.log(input, line);
      console.error("error of", input);
      process.stdout.write(Buffer.from([0xff, 0x0a]));
    };`);
    const all = ["a", "b", "c"].map((input) => fixture.start(path, { input }));
    for (const [place, name] of ["a", "b", "c"].entries()) {
      const { attempt } = all[place]!;
      await attempt.outcome;
      const lines = attempt.written("stdout").split("\n");
      expect(lines.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, line) => `${name} ${line}`));
      expect(lines.slice(1000)).toEqual(["\ufffd", ""]);
      expect(attempt.written("stderr")).toBe(`error of ${name}\n`);
    }
  });

  it("EVENT-5 at great length is read as fast as it comes, and none of it is lost", async () => {
    const path = fixture.module(`export default () => {
      for (let part = 0; part < 100; part++) process.stdout.write("x".repeat(1_000_000));
      process.stdout.write("y");
    };`);
    const { attempt } = fixture.start(path);
    await attempt.outcome;
    expect(attempt.written("stdout").length).toBe(100_000_001);
  });

  it("EVENT-5 to the port of the thread has no effect", async () => {
    const path = fixture.module(`import { parentPort, workerData } from "node:worker_threads";
      parentPort.on("message", () => undefined);
      export default () => {
        parentPort.postMessage({ kind: "ended", end: { kind: "returned", text: '"forged"' }, isBroken: false });
        return workerData;
      };`);
    expect(toOutput(await fixture.start(path).attempt.outcome)).toBe(null);
  });
});
