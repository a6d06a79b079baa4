// The timeouts of a connection, tested with fake timers.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AddressGuard } from "./address-guard.ts";
import { HttpConnection } from "./connection.ts";
import { httpLimits } from "./http-limits.ts";
import { PrivateNetworkPolicy } from "./private-network-policy.ts";

const IDLE_MS = 1000;

function open(): HttpConnection {
  const guard = new AddressGuard(new PrivateNetworkPolicy(false));
  return new HttpConnection("http://example.com", guard, httpLimits({ idleMs: IDLE_MS }), new AbortController().signal);
}

async function* letters(): AsyncGenerator<Uint8Array, void> {
  for (;;) yield Buffer.from("a");
}

describe("the clock of a connection", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("begins again with every piece of an answer, runs out without one, and ends with the connection", async () => {
    const connection = open();
    const chunks = connection.chunks(letters());
    for (let round = 0; round < 3; round++) {
      await chunks.next();
      vi.advanceTimersByTime(IDLE_MS - 1);
      expect(vi.getTimerCount()).toBe(1);
    }
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
    await connection.close();
  });

  it("does not outlive it", async () => {
    const connection = open();
    await connection.chunks(letters()).next();
    await connection.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
