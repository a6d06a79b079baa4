// The system clocks, with readings that the test provides.

import { describe, expect, it } from "vitest";
import { SystemClocks } from "./system-clocks.ts";

const HOUR = 3_600_000;

class Machine {
  wallMs = 1_763_000_000_000;
  monotonicMs = 0;
  sinceBootMs = 5000;
  bootReadings = 0;
  readonly clocks: SystemClocks = new SystemClocks({
    wall: () => this.wallMs,
    monotonic: () => this.monotonicMs,
    sinceBoot: () => {
      this.bootReadings++;
      return this.sinceBootMs;
    },
  });

  pass(ms: number): void {
    this.monotonicMs += ms;
    this.suspend(ms);
  }

  suspend(ms: number): void {
    this.wallMs += ms;
    this.sinceBootMs += ms;
  }

  elapsed(): number {
    this.clocks.noticeSuspension();
    return this.clocks.monotonic();
  }
}

describe("the monotonic clock", () => {
  it("counts the time in which the machine was suspended", () => {
    const machine = new Machine();
    machine.pass(HOUR);
    machine.suspend(8 * HOUR);
    expect(machine.elapsed()).toBe(9 * HOUR);
    machine.pass(HOUR);
    expect(machine.elapsed()).toBe(10 * HOUR);
  });

  it.each([24 * HOUR, -24 * HOUR])("does not move when the wall clock is set by %d ms", (ms) => {
    const machine = new Machine();
    machine.pass(HOUR);
    machine.wallMs += ms;
    expect(machine.elapsed()).toBe(HOUR);
  });

  it("asks for the time since boot only when the wall clock has moved away", () => {
    const machine = new Machine();
    const { bootReadings } = machine;
    for (let hour = 1; hour <= 100; hour++) {
      machine.pass(HOUR);
      machine.elapsed();
    }
    expect(machine.bootReadings).toBe(bootReadings);
  });
});
