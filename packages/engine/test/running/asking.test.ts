// Attempts that wait for their secrets: whoever gives them out takes a while, and much can happen meanwhile.

import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, ending, reaches, useFixture, pollUntil } from "./fixture.ts";

const stage = useFixture();

/** Gives out secrets when it is told to, and counts who asks. */
function vault(): { readonly secrets: () => Promise<string>; readonly asked: () => number; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let asked = 0;
  return { secrets: () => (asked++, promise), asked: () => asked, open: () => resolve("long-enough-by-far") };
}

const step = (more: string): string => `
name: asks
resources: { device: 1 }
steps:
  - { id: a, run: "echo on >> ran", env: { T: "\${ secrets.token }" }, resources: { device: 1 }, ${more} }
`;
const FREE = "name: free\nresources: { device: 1 }\nsteps:\n  - { id: b, run: 'true', resources: { device: 1 } }\n";

/** Whether the device can be had. */
async function isFree(engine: Engine): Promise<void> {
  const handle = await engine.start(contract(FREE));
  await pollUntil(async () => (await handle.status()).status === "completed", "the device is free");
}

describe("a step whose secrets are still asked for", () => {
  it("CANCEL-1 never begins when it is cancelled, and has nothing any more", async () => {
    const { secrets, asked, open } = vault();
    const engine = await stage.current.open({ secrets });
    const handle = await engine.start(contract(step("retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await handle.cancel({ graceMs: 20 });
    expect(await ending(handle)).toBe("cancelled");
    open();
    await isFree(engine);
    expect(stage.current.has("ran")).toBe(false);
  });

  it("SCHED-4 gives back what it holds when its time is over before it began", async () => {
    const { secrets, asked, open } = vault();
    await using test = await openTestEngine({ secrets, cwd: stage.current.folder });
    const handle = await test.start(contract(step("timeout: 50ms, retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await test.advance("6s");
    expect(await ending(handle)).toBe("failed");
    open();
    await isFree(test.engine);
    expect(stage.current.has("ran")).toBe(false);
  });

  it("FAIL-4 is tried again when its time is over, and runs once", async () => {
    const { secrets, open } = vault();
    await using test = await openTestEngine({ secrets, cwd: stage.current.folder });
    const handle = await test.start(contract(step("timeout: 3s, retry: { attempts: 2, base: 1s, on: [timeout] }")));
    await reaches(handle, "a", "running");
    while ((await handle.status()).steps[0]!.attempts < 2) await test.advance("1s");
    open();
    await handle.result();
    expect(stage.current.lines("ran")).toEqual(["on"]);
    await isFree(test.engine);
  });

  it("JOURNAL-3 begins with the next engine when this one is closed", async () => {
    const { secrets, asked, open } = vault();
    const first = await stage.current.open({ secrets });
    const { id } = await first.start(contract(step("retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await first.close();
    open();
    expect(stage.current.has("ran")).toBe(false);
    const second = await stage.current.open({ secrets });
    await (await second.get(id)).result();
    expect(stage.current.lines("ran")).toEqual(["on"]);
  });
});
