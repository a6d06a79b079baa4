// Ages of recorded times while the clock is set.

import { describe, expect, it } from "vitest";
import { VirtualEnvironment, VirtualTime } from "../testing/virtual-environment.ts";
import { RecordedAges } from "./recorded-ages.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

class ClockFixture {
  readonly time = new VirtualTime();
  readonly ages = new RecordedAges(new VirtualEnvironment(this.time));

  /** Sets the clock; the change is noticed within a second. */
  async shift(ms: number): Promise<void> {
    this.time.shiftClock(ms);
    await this.pass(1000);
  }

  async pass(ms: number): Promise<void> {
    await this.time.advance(ms);
    this.ages.notice();
  }

  isOlder(recordedAt: number, ageMs: number): boolean {
    return recordedAt < this.ages.before(ageMs);
  }
}

describe("what was recorded", () => {
  it("IDEM-1 is as old as the clock says while nobody sets it", async () => {
    const fixture = new ClockFixture();
    const { now } = fixture.time;
    await fixture.pass(10 * MINUTE);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(false);
    await fixture.pass(1);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(true);
    expect(fixture.isOlder(now - DAY, DAY)).toBe(true);
  });

  it("IDEM-1 is not older because the clock was set forward", async () => {
    const fixture = new ClockFixture();
    await fixture.pass(MINUTE);
    const { now } = fixture.time;
    await fixture.shift(DAY);
    await fixture.pass(8 * MINUTE);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(false);
    await fixture.pass(3 * MINUTE);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(true);
  });

  it("IDEM-1 is not older because the clock was wrong for a while when it was recorded", async () => {
    const fixture = new ClockFixture();
    await fixture.pass(MINUTE);
    await fixture.shift(-DAY);
    const { now } = fixture.time;
    await fixture.shift(DAY);
    await fixture.pass(5 * MINUTE);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(false);
    await fixture.pass(6 * MINUTE);
    expect(fixture.isOlder(now, 10 * MINUTE)).toBe(true);
  });
});
