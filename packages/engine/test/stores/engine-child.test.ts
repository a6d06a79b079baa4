// The helper of tests with several processes: it reports a process that dies, and never waits for one.

import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EngineChild } from "./engine-child.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();

describe("a process of a test", () => {
  it("that dies before it is open is told with what it wrote to stderr", async () => {
    const file = scratch.file();
    writeFileSync(file, "not a store");
    await expect(EngineChild.openStore(`${file}/segno.db`, "own")).rejects.toThrow(
      /^the process ended \(1\): [^]*StoreFault/u,
    );
  });

  it("that is killed is told to who asks it, before and after", async () => {
    const child = await EngineChild.openStore(scratch.file(), "own");
    const asked = child.until("nothing", () => false);
    await Promise.all([child.kill(), expect(asked).rejects.toThrow("the process ended (SIGKILL)")]);
    await expect(child.do("nothing")).rejects.toThrow("the process ended (SIGKILL)");
  });
});
