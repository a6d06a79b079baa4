// Stopping functions on a thread: by signal, by force, and in the middle of an endless loop.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

const heeding = (then: string): string => `export default (input, { signal, log }) => {
  log.info("began");
  return new Promise((resolve, reject) => signal.addEventListener("abort", () => { ${then} }));
};`;

const LOOP = `export default (input, { log }) => {
  log.info("began");
  while (true) {}
};`;

describe("an abort", () => {
  it("CANCEL-1 fires the signal, with its reason", async () => {
    const { attempt, abort } = fixture.start(
      fixture.module(heeding("resolve([signal.reason.name, signal.reason.message])")),
    );
    await attempt.said("began");
    abort(false, "the user said so");
    expect(toOutput(await attempt.outcome)).toEqual(["AbortError", "the user said so"]);
  });

  it("CANCEL-2 keeps a value returned within the grace period, and counts an error as cancelled", async () => {
    const { attempt, abort } = fixture.start(fixture.module(heeding("reject(new TypeError('half way'))")));
    await attempt.said("began");
    abort(false, "enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({
      class: "cancelled",
      code: "TypeError",
      message: "half way",
    });
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["end", "exited"]);
  });

  it("CANCEL-1 while the module is loading prevents the call", async () => {
    const signalled = join(fixture.folder, "signalled");
    // When the file exists, the signal has been sent and arrives in the next tick.
    const path = fixture.module(`import { existsSync } from "node:fs";
      import { setTimeout } from "node:timers/promises";
      console.log("loading");
      while (!existsSync(${JSON.stringify(signalled)})) await setTimeout(1);
      await setTimeout(1);
      export default (input, { log }) => log.info("called");`);
    const { attempt, abort } = fixture.start(path);
    await attempt.until(() => attempt.written("stdout") !== "");
    abort(false, "enough");
    writeFileSync(signalled, "");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", message: "enough" });
    expect(attempt.lines).toEqual([]);
  });

  it("CANCEL-1 ends a loop that sends heartbeats and never awaits", async () => {
    const path = fixture.module("export default (input, context) => { for (;;) context.heartbeat(); };");
    const { attempt, abort } = fixture.start(path);
    await attempt.until(() => attempt.beats > 2);
    abort(false, "enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", code: "AbortError" });
  });

  it("CANCEL-1 after the end does nothing", async () => {
    const path = fixture.module("export default (input, { signal }) => signal.aborted");
    const first = fixture.start(path);
    await first.attempt.whenExited;
    first.abort(false, "too late");
    first.abort(true, "too late");
    expect(toOutput(await fixture.start(path).attempt.outcome)).toBe(false);
    expect(first.attempt.calls).toEqual(["end", "exited"]);
  });
});

describe("a forced end", () => {
  it("CANCEL-2 ends an endless loop, which has blocked no other attempt", async () => {
    const { attempt, abort } = fixture.start(fixture.module(LOOP));
    await attempt.said("began");
    expect(toOutput(await fixture.run("() => 'neighbour'"))).toBe("neighbour");
    abort(false, "enough");
    abort(true, "enough of it");
    expect(attempt.calls).toEqual([]);
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
  });

  it("CANCEL-2 ends a thread that writes without end, which has blocked no other attempt either", async () => {
    const { attempt, abort } = fixture.start(
      fixture.module(`export default (input, { log }) => {
        for (;;) {
          log.info("began");
          console.log("x".repeat(1000));
        }
      };`),
    );
    await attempt.said("began");
    expect(toOutput(await fixture.run("() => 'neighbour'"))).toBe("neighbour");
    abort(true, "enough");
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
  });

  it("CANCEL-2 makes room for waiting attempts", async () => {
    fixture.setUp({ size: 1 });
    const { attempt, abort } = fixture.start(fixture.module(LOOP));
    await attempt.said("began");
    const next = fixture.run("() => 'next'");
    abort(true, "enough");
    expect(toOutput(await next)).toBe("next");
    expect(attempt.calls).toEqual(["exited"]);
  });

  it("LEASE-2 ignores a result that is already in flight", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`export default (input, { log }) => { log.info("began"); return "late"; }`);
    const { attempt, abort } = fixture.start(path);
    const next = fixture.start(path);
    await attempt.said("began");
    abort(true, "enough");
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
    expect(toOutput(await next.attempt.outcome)).toBe("late");
  });

  it("CANCEL-2 lets `idle` resolve when the thread has exited", async () => {
    const { attempt, abort } = fixture.start(fixture.module(LOOP));
    await attempt.said("began");
    abort(true, "enough");
    await fixture.runner.idle();
    expect(attempt.calls).toEqual(["exited"]);
  });

  it("CANCEL-2 reaches a thread that has just been started", async () => {
    const { attempt, abort } = fixture.start(fixture.module(LOOP));
    await Promise.resolve();
    abort(true, "enough");
    await attempt.whenExited;
    expect([attempt.calls, attempt.lines]).toEqual([["exited"], []]);
  });
});
