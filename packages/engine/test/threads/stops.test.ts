// Stopping what runs on a thread: by its signal, by force, and in the middle of a loop that never ends.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const stage = useThreadFixture();

const heeding = (then: string): string => `export default (input, { signal, logger }) => {
  logger.info("began");
  return new Promise((resolve, reject) => signal.addEventListener("abort", () => { ${then} }));
};`;

const LOOP = `export default (input, { logger }) => {
  logger.info("began");
  while (true) {}
};`;

describe("an abort", () => {
  it("CANCEL-1 fires the signal, with its reason", async () => {
    const { attempt, abort } = stage.start(
      stage.module(heeding("resolve([signal.reason.name, signal.reason.message])")),
    );
    await attempt.said("began");
    abort(false, "the user said so");
    expect(toOutput(await attempt.outcome)).toEqual(["AbortError", "the user said so"]);
  });

  it("CANCEL-2 leaves what is returned within the grace as it is, and calls what is thrown cancelled", async () => {
    const { attempt, abort } = stage.start(stage.module(heeding("reject(new TypeError('half way'))")));
    await attempt.said("began");
    abort(false, "enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({
      class: "cancelled",
      code: "TypeError",
      message: "half way",
    });
    await attempt.whenSettled;
    expect(attempt.story).toEqual(["end", "settled"]);
  });

  it("CANCEL-1 that comes while the module is being loaded prevents the call", async () => {
    const signalled = join(stage.folder, "signalled");
    // When the file is there the signal is under way, and one more turn of the event loop brings it.
    const path = stage.module(`import { existsSync } from "node:fs";
      import { setTimeout } from "node:timers/promises";
      console.log("loading");
      while (!existsSync(${JSON.stringify(signalled)})) await setTimeout(1);
      await setTimeout(1);
      export default (input, { logger }) => logger.info("called");`);
    const { attempt, abort } = stage.start(path);
    await attempt.until(() => attempt.written("stdout") !== "");
    abort(false, "enough");
    writeFileSync(signalled, "");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", message: "enough" });
    expect(attempt.lines).toEqual([]);
  });

  it("CANCEL-1 ends a loop that beats and never waits", async () => {
    const path = stage.module("export default (input, context) => { for (;;) context.heartbeat(); };");
    const { attempt, abort } = stage.start(path);
    await attempt.until(() => attempt.beats > 2);
    abort(false, "enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", code: "AbortError" });
  });

  it("CANCEL-1 after the end does nothing", async () => {
    const path = stage.module("export default (input, { signal }) => signal.aborted");
    const first = stage.start(path);
    await first.attempt.whenSettled;
    first.abort(false, "too late");
    first.abort(true, "too late");
    expect(toOutput(await stage.start(path).attempt.outcome)).toBe(false);
    expect(first.attempt.story).toEqual(["end", "settled"]);
  });
});

describe("an end by force", () => {
  it("CANCEL-2 ends a loop that never ends, which has not held up anybody", async () => {
    const { attempt, abort } = stage.start(stage.module(LOOP));
    await attempt.said("began");
    expect(toOutput(await stage.run("() => 'neighbour'"))).toBe("neighbour");
    abort(false, "enough");
    abort(true, "enough of it");
    expect(attempt.story).toEqual([]);
    await attempt.whenSettled;
    expect(attempt.story).toEqual(["settled"]);
  });

  it("CANCEL-2 ends a thread that writes without end, which has not held up anybody either", async () => {
    const { attempt, abort } = stage.start(
      stage.module(`export default (input, { logger }) => {
        for (;;) {
          logger.info("began");
          console.log("x".repeat(1000));
        }
      };`),
    );
    await attempt.said("began");
    expect(toOutput(await stage.run("() => 'neighbour'"))).toBe("neighbour");
    abort(true, "enough");
    await attempt.whenSettled;
    expect(attempt.story).toEqual(["settled"]);
  });

  it("CANCEL-2 makes room for those who wait", async () => {
    stage.setUp({ size: 1 });
    const { attempt, abort } = stage.start(stage.module(LOOP));
    await attempt.said("began");
    const next = stage.run("() => 'next'");
    abort(true, "enough");
    expect(toOutput(await next)).toBe("next");
    expect(attempt.story).toEqual(["settled"]);
  });

  it("LEASE-2 makes a result that is already on its way count for nothing", async () => {
    stage.setUp({ size: 1 });
    const path = stage.module(`export default (input, { logger }) => { logger.info("began"); return "late"; }`);
    const { attempt, abort } = stage.start(path);
    const next = stage.start(path);
    await attempt.said("began");
    abort(true, "enough");
    await attempt.whenSettled;
    expect(attempt.story).toEqual(["settled"]);
    expect(toOutput(await next.attempt.outcome)).toBe("late");
  });

  it("CANCEL-2 is over for `idle` when the thread is gone", async () => {
    const { attempt, abort } = stage.start(stage.module(LOOP));
    await attempt.said("began");
    abort(true, "enough");
    await stage.runner.idle();
    expect(attempt.story).toEqual(["settled"]);
  });

  it("CANCEL-2 reaches a thread that has just been started", async () => {
    const { attempt, abort } = stage.start(stage.module(LOOP));
    await Promise.resolve();
    abort(true, "enough");
    await attempt.whenSettled;
    expect([attempt.story, attempt.lines]).toEqual([["settled"], []]);
  });
});
