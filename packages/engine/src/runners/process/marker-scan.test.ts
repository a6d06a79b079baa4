import { afterEach, describe, expect, it, vi } from "vitest";
import { ProcessFinder } from "./process-finder.ts";
import * as processList from "./process-list.ts";
import * as processMarkers from "./process-markers.ts";

vi.mock(import("./process-list.ts"), { spy: true });
vi.mock(import("./process-markers.ts"), { spy: true });

afterEach(() => {
  vi.restoreAllMocks();
});

/** One process, 4711, that is unreadable for a number of passes, each of which takes a minute. */
function overload(unreadablePasses: number): void {
  let passes = 0;
  vi.spyOn(performance, "now").mockImplementation(() => passes * 60_000);
  vi.mocked(processList.listProcesses).mockResolvedValue([4711]);
  vi.mocked(processMarkers.readMarkers).mockImplementation(async () =>
    passes++ < unreadablePasses ? "unreadable" : ["a.1"],
  );
}

describe("a scan on an overloaded system", () => {
  it("CANCEL-2 MS4 finds a process that was in the middle of `exec` in a few slow passes", async () => {
    overload(3);
    expect(await new ProcessFinder().find("a.1")).toEqual([4711]);
  });

  it("MS4 is bounded: a process that stays unreadable counts as unmarked", async () => {
    overload(Number.POSITIVE_INFINITY);
    expect(await new ProcessFinder().find("a.1")).toEqual([]);
  });
});
