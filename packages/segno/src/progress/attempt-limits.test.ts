import { loadContract } from "@segno/contract";
import { describe, expect, it } from "vitest";

import { attemptLimits } from "./attempt-limits.ts";

const CONTRACT = `
name: limits
steps:
  - { id: plain, run: make }
  - { id: once, run: make, retry: 1 }
  - { id: undone, run: make, compensate: { run: undo, retry: 5 } }
  - { id: gate, wait: { signal: go } }
  - id: each
    map: { over: input.items, steps: [{ id: only, run: make, retry: 4 }] }
  - id: pairs
    map: { over: input.items, steps: [{ id: one, run: make, retry: 6 }, { id: two, run: make, dependsOn: [one] }] }
`;

describe("attempts in all", () => {
  it("FAIL-3 are known by the name under which people see a step", () => {
    const limit = attemptLimits(loadContract(Buffer.from(CONTRACT), { file: "limits.yaml" }));
    expect(
      Object.fromEntries(
        ["plain", "once", "undone/compensate", "each/0", "each/12", "pairs/3/one", "pairs/3/two"].map((name) => [
          name,
          limit(name),
        ]),
      ),
    ).toEqual({
      plain: 3,
      once: 1,
      "undone/compensate": 5,
      "each/0": 4,
      "each/12": 4,
      "pairs/3/one": 6,
      "pairs/3/two": 3,
    });
  });

  it("are not known of waits, of scopes, and of steps that the definition does not have", () => {
    const limit = attemptLimits(loadContract(Buffer.from(CONTRACT), { file: "limits.yaml" }));
    expect(["gate", "each", "elsewhere", "each/0/more"].map(limit)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
