import { expect } from "vitest";
import type { ProcessEntry } from "../../../src/store/process-records.ts";
import type { Claims } from "./claim.ts";

const entry = (marker: string, pid = 4711, startTime = "1763 ticks"): ProcessEntry => ({ marker, pid, startTime });

export const PROCESS_CLAIMS: Claims = {
  "what was noted is listed by marker until it is forgotten": async ({ store }) => {
    expect(await store.processes()).toEqual([]);
    for (const marker of ["c", "a", "b"]) await store.noteProcess(entry(marker));
    expect(await store.processes()).toEqual([entry("a"), entry("b"), entry("c")]);
    await store.forgetProcess("b");
    await store.forgetProcess("nobody");
    expect(await store.processes()).toEqual([entry("a"), entry("c")]);
  },

  "a marker has one process: the last that was noted": async ({ store }) => {
    await store.noteProcess(entry("a", 1, "long ago"));
    await store.noteProcess(entry("a", 4_194_304, "now"));
    expect(await store.processes()).toEqual([entry("a", 4_194_304, "now")]);
    await store.forgetProcess("a");
    await store.noteProcess(entry("a", 2));
    expect(await store.processes()).toEqual([entry("a", 2)]);
  },

  "whoever owns the store next sees what was left behind": async ({ store, second }) => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => store.noteProcess(entry(`m${index + 10}`, index))));
    const next = (await second?.()) ?? store;
    expect(await next.processes()).toEqual(Array.from({ length: 20 }, (_, index) => entry(`m${index + 10}`, index)));
    await next.forgetProcess("m10");
    expect(await store.processes()).toHaveLength(19);
  },
};
