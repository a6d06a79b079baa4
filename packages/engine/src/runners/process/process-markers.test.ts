// A folder with the files of a process, as `/proc` has them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readMarkers, readMarkersSync } from "./process-markers.ts";

const PID = 4711;
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-proc-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, String(PID), path)), { recursive: true });
  writeFileSync(join(folder, String(PID), path), text);
}

/** `state` is that of the main thread. */
function writeProcess(environ: string, state: string, threads: number): void {
  write("environ", environ);
  write("task/4711/environ", environ);
  write("stat", `4711 (work) ${state} 1 4700 4700 0 -1 4194304 99 0 0 0 1 2 0 0 20 0 ${threads} 0 123456 9999 1`);
}

describe("the markers of a process", () => {
  it("CANCEL-2 are those of its environment", async () => {
    writeProcess("PATH=/bin\0SEGNO_MARKER=a.1\0", "S", 1);
    expect([await readMarkers(PID, folder), readMarkersSync(PID, folder)]).toEqual([["a.1"], ["a.1"]]);
  });

  it("CANCEL-2 PM1 are read from another thread if the main thread has ended", async () => {
    writeProcess("", "Z", 3);
    write("task/4712/environ", "");
    write("task/4713/environ", "PATH=/bin\0SEGNO_MARKER=a.1\0");
    expect([await readMarkers(PID, folder), readMarkersSync(PID, folder)]).toEqual([["a.1"], ["a.1"]]);
  });

  it("PM1 are not known yet if none of the threads can be read", async () => {
    writeProcess("", "Z", 2);
    mkdirSync(join(folder, String(PID), "task", "4712"));
    expect([await readMarkers(PID, folder), readMarkersSync(PID, folder)]).toEqual(["unreadable", []]);
  });

  it("do not exist if all threads have ended, or the process is gone", async () => {
    expect([await readMarkers(PID, folder), readMarkersSync(PID, folder)]).toEqual(["dead", []]);
    writeProcess("", "Z", 1);
    expect([await readMarkers(PID, folder), readMarkersSync(PID, folder)]).toEqual(["dead", []]);
  });
});
