// Attempts that wait for their secrets while other things happen.

import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract, ending, reaches, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();

/** A secret source that answers when the test says so, and counts its calls. */
function manualSecrets(): {
  readonly secrets: () => Promise<string>;
  readonly asked: () => number;
  readonly open: () => void;
} {
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

/** Whether the device is free. */
async function isFree(engine: Engine): Promise<void> {
  const handle = await engine.start(contract(FREE));
  await pollUntil(async () => (await handle.status()).status === "completed", "the device is free");
}

describe("a step whose secrets are still being resolved", () => {
  it("CANCEL-1 never starts when it is cancelled, and holds nothing", async () => {
    const { secrets, asked, open } = manualSecrets();
    const engine = await fixture.current.open({ secrets });
    const handle = await engine.start(contract(step("retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await handle.cancel({ graceMs: 20 });
    expect(await ending(handle)).toBe("cancelled");
    open();
    await isFree(engine);
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("SCHED-4 frees its resources when its deadline passes before it started", async () => {
    const { secrets, asked, open } = manualSecrets();
    await using test = await openTestEngine({ secrets, cwd: fixture.current.folder });
    const handle = await test.start(contract(step("timeout: 50ms, retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await test.advance("6s");
    expect(await ending(handle)).toBe("failed");
    open();
    await isFree(test.engine);
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("FAIL-4 is retried when its deadline has passed, and runs once", async () => {
    const { secrets, open } = manualSecrets();
    await using test = await openTestEngine({ secrets, cwd: fixture.current.folder });
    const handle = await test.start(contract(step("timeout: 3s, retry: { attempts: 2, base: 1s, on: [timeout] }")));
    await reaches(handle, "a", "running");
    while ((await handle.status()).steps[0]!.attempts < 2) await test.advance("1s");
    open();
    await handle.result();
    expect(fixture.current.lines("ran")).toEqual(["on"]);
    await isFree(test.engine);
  });

  it("JOURNAL-3 starts with the next engine when this one is closed", async () => {
    const { secrets, asked, open } = manualSecrets();
    const first = await fixture.current.open({ secrets });
    const { id } = await first.start(contract(step("retry: 1")));
    await pollUntil(() => asked() > 0, "it is asked");
    await first.close();
    open();
    expect(fixture.current.has("ran")).toBe(false);
    const second = await fixture.current.open({ secrets });
    await (await second.get(id)).result();
    expect(fixture.current.lines("ran")).toEqual(["on"]);
  });
});
