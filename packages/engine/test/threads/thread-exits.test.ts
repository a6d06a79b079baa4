// Threads that exit by themselves: the attempt fails; the process and other threads continue.

import { describe, expect, it } from "vitest";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

/** Checks that the pool still works. */
async function isAlive(): Promise<void> {
  expect(toOutput(await fixture.run("() => 'alive'"))).toBe("alive");
}

describe("a thread that exits during an attempt", () => {
  it("FAIL-1 by process.exit is a transient failure with the exit code (THREAD_EXITED)", async () => {
    const failure = toFailure(await fixture.run("() => process.exit(3)"));
    expect(failure).toMatchObject({ class: "transient", code: "THREAD_EXITED" });
    expect(failure.message).toContain("exit code 3");
    await isAlive();
  });

  it("FAIL-1 with exit code 0 is a failure too (THREAD_EXITED)", async () => {
    expect(toFailure(await fixture.run("() => process.exit(0)"))).toMatchObject({ code: "THREAD_EXITED" });
  });

  it("FAIL-1 because it runs out of memory is a transient failure that says so (THREAD_EXITED)", async () => {
    fixture.setUp({ size: 1, resourceLimits: { maxOldGenerationSizeMb: 16 } });
    const hungry = "() => { const all = []; for (;;) all.push(Array.from({ length: 1000 }, () => ({}))); }";
    const failure = toFailure(await fixture.run(hungry));
    expect(failure).toMatchObject({ class: "transient", code: "THREAD_EXITED" });
    expect(failure.message).toMatch(/memory/u);
    await isAlive();
  });

  it("FAIL-1 because it cannot be started fails the attempt (THREAD_EXITED)", async () => {
    fixture.setUp({ env: "none" as never });
    const { attempt } = fixture.start(fixture.module("export default () => 1;"));
    expect(toFailure(await attempt.outcome)).toMatchObject({ code: "THREAD_EXITED" });
    await fixture.runner.idle();
    expect(attempt.calls).toEqual(["end", "exited"]);
  });

  it("CANCEL-2 after its signal is cancelled", async () => {
    const { attempt, abort } = fixture.start(
      fixture.module(`export default (input, { log, signal }) => {
        signal.addEventListener("abort", () => process.exit(1));
        log.info("began");
        return new Promise(() => setInterval(() => undefined, 1000));
      }`),
    );
    await attempt.said("began");
    abort(false, "enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", code: "THREAD_EXITED" });
  });

  it("FAIL-1 reports the exit after the end, and its last output is not lost", async () => {
    const { attempt } = fixture.start(
      fixture.module(`export default (input, { log }) => {
        log.info("began");
        console.log("last words");
        log.warn("last line");
        process.exit(1);
      }`),
    );
    await attempt.said("began");
    // When this thread continues, the other one has exited and sent all its messages.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["end", "exited"]);
    expect(attempt.written("stdout")).toBe("last words\n");
    expect(attempt.lines.map(({ message }) => message)).toEqual(["began", "last line"]);
  });

  it("FAIL-1 after the function returned has succeeded", async () => {
    const text = "() => { setImmediate(() => process.exit(1)); return 'done'; }";
    expect(toOutput(await fixture.run(text))).toBe("done");
    await fixture.runner.idle();
  });
});

describe("an uncaught error", () => {
  it.each([
    ["an exception", "setImmediate(() => { throw new TypeError('in a callback'); })"],
    ["a rejection", "setImmediate(() => Promise.reject(new TypeError('in a callback')))"],
    ["an error event", "setImmediate(() => new EventEmitter().emit('error', new TypeError('in a callback')))"],
  ])("FAIL-1 %s while an attempt runs fails that attempt, by the error", async (_, trouble) => {
    const path = fixture.module(`import { EventEmitter } from "node:events";
      export default () => new Promise(() => ${trouble});`);
    const { attempt } = fixture.start(path);
    expect(toFailure(await attempt.outcome)).toMatchObject({
      class: "permanent",
      code: "TypeError",
      message: "in a callback",
    });
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["end", "exited"]);
    await isAlive();
  });

  it("FAIL-1 fails with THREAD_EXITED if a module has removed the handlers", async () => {
    const text = `() => new Promise(() => {
      process.removeAllListeners("uncaughtException");
      setImmediate(() => { throw new TypeError("nobody hears"); });
    })`;
    expect(toFailure(await fixture.run(text))).toMatchObject({
      class: "transient",
      code: "THREAD_EXITED",
      cause: { message: "nobody hears" },
    });
    await isAlive();
  });

  it("FAIL-1 after the attempt is reported, and fails no other attempt", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`export default (input) => {
      if (input === "sow") Promise.reject(new Error("left behind"));
      return input;
    }`);
    const all = ["sow", "next", "last"].map((input) => fixture.start(path, { input }));
    expect(await Promise.all(all.map(async ({ attempt }) => toOutput(await attempt.outcome)))).toEqual([
      "sow",
      "next",
      "last",
    ]);
    expect(fixture.reports).toEqual([expect.objectContaining({ message: "left behind" })]);
  });
});
