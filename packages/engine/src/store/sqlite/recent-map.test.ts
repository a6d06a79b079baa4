import { describe, expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

describe("a map of what was used recently", () => {
  it("keeps what is in use, however much else comes", () => {
    const map = new RecentMap<string, number>(10);
    map.set("used", 1);
    for (let number = 0; number < 1000; number++) {
      map.set(`other ${number}`, number);
      expect(map.get("used")).toBe(1);
    }
  });

  it("keeps at least as many as it should, and drops what was not used for long", () => {
    const map = new RecentMap<number, number>(10);
    for (let number = 0; number < 100; number++) map.set(number, number);
    const kept = Array.from({ length: 100 }, (_, number) => number).filter((number) => map.get(number) !== undefined);
    expect(kept.length).toBeGreaterThanOrEqual(10);
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toContain(99);
  });

  it("forgets what is deleted, and everything when it is cleared", () => {
    const map = new RecentMap<string, number>(1);
    map.set("a", 1);
    map.set("b", 2);
    map.delete("a");
    expect([map.get("a"), map.get("b")]).toEqual([undefined, 2]);
    map.clear();
    expect(map.get("b")).toBeUndefined();
  });
});
