// The timer queue, in virtual time.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualEnvironment, VirtualTime } from "../testing/virtual-environment.ts";
import { TimerQueue, TimerEntry } from "./timer-queue.ts";

class Entry extends TimerEntry {
  readonly rings: number[] = [];
  /** The due time; undefined if the timer is not set. */
  wanted: number | undefined;
  /** An action that runs once when the timer fires. */
  onRing: (() => void) | undefined;
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    super();
    this.#time = time;
  }

  override onDue(): void {
    const { now } = this.#time;
    this.rings.push(now);
    expect(now).toBe(this.wanted);
    this.wanted = undefined;
    const { onRing } = this;
    this.onRing = undefined;
    onRing?.();
  }
}

class TimerFixture {
  readonly time = new VirtualTime();
  readonly #environment = new VirtualEnvironment(this.time);
  readonly wheel: TimerQueue = new TimerQueue({
    now: () => this.time.monotonic,
    alarm: (monotonic) =>
      this.#environment.alarm(monotonic === undefined ? undefined : { monotonic, wall: Infinity }, () =>
        this.wheel.runDue(),
      ),
  });
  readonly entries: readonly Entry[] = Array.from({ length: 10 }, () => new Entry(this.time));

  set(entry: Entry, inMs: number): void {
    entry.wanted = this.time.now + inMs;
    this.wheel.set(entry, entry.wanted);
  }

  drop(entry: Entry): void {
    entry.wanted = undefined;
    this.wheel.drop(entry);
  }

  clear(): void {
    this.wheel.clear();
    for (const entry of this.entries) entry.wanted = undefined;
  }

  check(): void {
    const wanted = this.entries.filter((entry) => entry.wanted !== undefined);
    for (const entry of wanted) expect(this.time.now).toBeLessThanOrEqual(entry.wanted!);
    expect(this.wheel.size).toBe(wanted.length);
  }
}

/** Due soon, or in one of the long slices that are divided when they begin. */
const duration = fc.oneof(fc.nat(60), fc.nat(3000));

const deed = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), entry: fc.nat(9), ms: duration }),
  fc.record({ kind: fc.constant("set when it rings" as const), entry: fc.nat(9), ms: duration }),
  fc.record({ kind: fc.constant("drop" as const), entry: fc.nat(9), ms: fc.constant(0) }),
  fc.record({ kind: fc.constant("wait" as const), entry: fc.constant(0), ms: fc.oneof(fc.nat(50), fc.nat(1500)) }),
  fc.record({ kind: fc.constant("clear" as const), entry: fc.constant(0), ms: fc.constant(0) }),
);
type TimerAction = typeof deed extends fc.Arbitrary<infer Each> ? Each : never;

async function applyAction(fixture: TimerFixture, { kind, entry: index, ms }: TimerAction): Promise<void> {
  const entry = fixture.entries[index]!;
  if (kind === "set") fixture.set(entry, ms);
  if (kind === "set when it rings") entry.onRing = () => fixture.set(entry, ms);
  if (kind === "drop") fixture.drop(entry);
  if (kind === "wait") await fixture.time.advance(ms);
  if (kind === "clear") fixture.clear();
}

describe("the timer wheel", () => {
  it("W1 W2 W4 rings each timer once, at its time, and forgets what is dropped, set anew or cleared", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 60 }), async (deeds) => {
        const fixture = new TimerFixture();
        for (const each of deeds) {
          await applyAction(fixture, each);
          fixture.check();
        }
        await fixture.time.advance(7000);
        expect([fixture.wheel.size, fixture.entries.filter(({ wanted }) => wanted !== undefined)]).toEqual([0, []]);
      }),
      { numRuns: 300 },
    );
  });

  it("W3 W4 rings those of the same time as they were set, also those that were set long before", async () => {
    const fixture = new TimerFixture();
    const rung: number[] = [];
    const setAt = (index: number, inMs: number): void => {
      fixture.set(fixture.entries[index]!, inMs);
      fixture.entries[index]!.onRing = () => void rung.push(index);
    };
    setAt(0, 5000);
    setAt(1, 4999);
    await fixture.time.advance(4990);
    for (const index of [2, 3]) setAt(index, 10);
    await fixture.time.advance(20);
    expect(rung).toEqual([1, 0, 2, 3]);
  });

  it("W2 does not ring what is dropped by another that rings in the same moment", async () => {
    const fixture = new TimerFixture();
    const [first, second] = fixture.entries as [Entry, Entry];
    for (const entry of [first, second]) fixture.set(entry, 5);
    first.onRing = () => fixture.drop(second);
    await fixture.time.advance(20);
    expect([first.rings.length, second.rings.length]).toEqual([1, 0]);
  });

  it("W2 rings later, and once, what another sets anew that rings in the same moment", async () => {
    const fixture = new TimerFixture();
    const [first, second] = fixture.entries as [Entry, Entry];
    for (const entry of [first, second]) fixture.set(entry, 5);
    first.onRing = () => fixture.set(second, 100);
    await fixture.time.advance(20);
    expect(second.rings).toEqual([]);
    await fixture.time.advance(200);
    expect(second.rings).toHaveLength(1);
  });
});
