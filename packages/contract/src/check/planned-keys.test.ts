import { describe, expect, it } from "vitest";

import { ContractError } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";

function findProblems(text: string): readonly string[] {
  try {
    loadContract(text);
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.problems.map(
      ({ code, line, column, message, hint }) => `${line}:${column} ${code} ${message} => ${hint}`,
    );
  }
}

describe("a key that is planned", () => {
  it.each([
    [
      "SCHED-3 `limits.key` of a step",
      "name: w\nsteps:\n  - { id: a, run: x, limits: { concurrency: 1, key: b } }",
      "3:48 KEY_PLANNED `key` is planned but not implemented: so far limits count all values together => remove it",
    ],
    [
      "SCHED-3 `limits.key` of an agent",
      "name: w\nagents: { a: { limits: { key: b } } }\nsteps: []",
      "2:26 KEY_PLANNED `key` is planned but not implemented: so far limits count all values together => remove it",
    ],
    [
      "CONTRACT-4 `queue`, inside a map too",
      "name: w\nsteps:\n  - { id: m, map: { over: input.x, steps: [{ id: a, run: x, queue: q }] } }",
      "3:61 KEY_PLANNED `queue` is planned but not implemented: so far any worker may run the step => remove it",
    ],
    [
      "CONTRACT-4 `cache`, whatever it says",
      "name: w\nsteps:\n  - { id: a, run: x, cache: false }",
      "3:22 KEY_PLANNED `cache` is planned but not implemented: so far outputs are not cached => remove it",
    ],
    [
      "CONTRACT-4 `schedules`",
      "name: w\nschedules: []\nsteps: []",
      "2:1 KEY_PLANNED `schedules` is planned but not implemented: so far executions are not started by a schedule => remove it",
    ],
  ])("%s is refused, and the message says what happens without it", (_, text, problem) => {
    expect(findProblems(text)).toEqual([problem]);
  });

  it("CONTRACT-4 such a word in another place is an unknown key", () => {
    expect(findProblems("name: w\ncache: true\nsteps: []")[0]).toContain("UNKNOWN_KEY");
    expect(findProblems("name: w\nresources: { r: { rate: 1, per: 1s, key: x } }\nsteps: []")[0]).toContain(
      "UNKNOWN_KEY",
    );
  });
});
