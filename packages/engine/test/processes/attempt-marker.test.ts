// Markers of attempts with unusual ids.

import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptMarker } from "../../src/runners/process/attempt-marker.ts";
import { markersIn } from "../../src/runners/process/process-markers.ts";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { FakeAttempt } from "./fake-attempt.ts";
import { isAlive, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

const ids = fc.string({ unit: "binary", maxLength: 30 });

describe("the marker of an attempt", () => {
  it("AM1 is found in an environment whatever the id contains", () => {
    fc.assert(
      fc.property(ids, fc.nat(), fc.nat(), (execution, place, epoch) => {
        const marker = attemptMarker("store", { execution, stepIndex: place, epoch });
        const environ = Buffer.from(`A=b\0SEGNO_MARKER=${marker}\0SEGNO_OUTER_MARKERS=x\ny\0`);
        expect(markersIn(environ)).toEqual([marker, "x", "y"]);
      }),
    );
  });

  it("AM2 differs for different attempts", () => {
    const attempts = fc.record({ execution: ids, stepIndex: fc.nat(20), epoch: fc.nat(20) });
    fc.assert(
      fc.property(attempts, attempts, (a, b) => {
        const isSame = a.execution === b.execution && a.stepIndex === b.stepIndex && a.epoch === b.epoch;
        expect(attemptMarker("store", a) === attemptMarker("store", b)).toBe(isSame);
      }),
    );
  });

  it.each(["a\nb", "a=b\n\nSEGNO_MARKER=c", "line\r\n.1.2", "\u{1f600}".repeat(500)])(
    "CANCEL-2 finds processes that left the group of an execution with the id %j",
    async (execution) => {
      const runner = fixture.current.runner();
      const marker = attemptMarker(fixture.current.prefix.slice(0, -1), { execution, stepIndex: 1, epoch: 1 });
      const script = "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; echo ready; sleep 1000";
      const attempt = new FakeAttempt(marker, { action: { kind: "run", script } });
      runner.start(attempt);
      const [pid] = await attempt.said(/\d+/u);
      await attempt.said(/ready/u);
      // An answer may be incomplete (PF3 in `process-finder.ts`): a process that executes a program has no environment
      // for a moment.
      if (existsSync("/proc/self/environ"))
        await expect.poll(() => markedProcesses(fixture.current.prefix)).toContain(Number(pid));
      await runner.close();
      expect(await isAlive(Number(pid))).toBe(false);
    },
  );
});
