import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

export interface ScratchFolder {
  /** A new path in the folder. */
  file(): string;
  /** Closes the resource before the folder is removed. */
  closing<Thing extends { close(): unknown }>(thing: Thing): Thing;
}

/** A folder for the files of one test. When the test ends, its resources are closed and the folder is removed. */
export function scratchFolder(): ScratchFolder {
  let folder: string | undefined;
  let files = 0;
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0)) await thing.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  });
  return {
    file: () => join((folder ??= mkdtempSync(join(tmpdir(), "segno-store-"))), `store-${files++}`),
    closing: (thing) => (open.push(thing), thing),
  };
}
