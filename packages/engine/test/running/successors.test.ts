// What runs after a command that was stopped by force: nothing starts beside its processes (CANCEL-2). Real processes in
// virtual time; the steps that follow are functions, which start at once.

import { describe, expect, it } from "vitest";
import { isDead, readStatSync } from "../../src/runners/process/process-stat.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { contract, ending, useFixture } from "./fixture.ts";

const fixture = useFixture();

/** Has a child in a session of its own. None of its processes ends by SIGTERM. */
const STUBBORN = `
      trap "" TERM
      setsid sh -c 'echo $$ >> pids; while :; do sleep 1; done' &
      echo $$ >> pids
      while :; do sleep 1; done`;

/** The engine, and for every call of its agent `look` the processes of `pids` that were alive when it began. */
interface Watched {
  readonly test: TestEngine;
  readonly seen: (readonly number[])[];
}

async function openWatched(): Promise<Watched> {
  const seen: (readonly number[])[] = [];
  const look = (): string => {
    seen.push(fixture.current.numbers("pids").filter(isAliveNow));
    return "looked";
  };
  return { test: await openTestEngine({ cwd: fixture.current.folder, agents: { look } }), seen };
}

/** Synchronous: a process that is being killed must not have the time to end. */
function isAliveNow(pid: number): boolean {
  const stat = readStatSync(pid);
  return stat !== undefined && !isDead(stat);
}

describe.runIf(process.platform === "linux")("after a command that was stopped by force", () => {
  it("CANCEL-2 FAIL-4 the next step starts when none of its processes runs any more", async () => {
    const { test, seen } = await openWatched();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: late
grace: 500ms
steps:
  - id: work
    timeout: 1s
    retry: 1
    onError: continue
    run: |${STUBBORN}
  - { id: next, agent: look, dependsOn: [{ step: work, on: settled }] }
`),
    );
    await fixture.current.wrote("pids", 2);
    await test.advance("1500ms");
    expect(await ending(handle)).toBe("completed");
    expect(seen).toEqual([[]]);
  });

  it("CANCEL-2 FAIL-8 compensation starts when none of its processes runs any more, also those of parallel steps", async () => {
    const { test, seen } = await openWatched();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: undone
steps:
  - { id: first, agent: look, compensate: { agent: look } }
  - id: one
    dependsOn: [first]
    run: |${STUBBORN}
  - id: two
    dependsOn: [first]
    run: |${STUBBORN}
`),
    );
    await fixture.current.wrote("pids", 4);
    await handle.cancel({ graceMs: 300, compensate: true });
    await test.advance(300);
    expect(await ending(handle)).toBe("cancelled");
    expect(seen).toEqual([[], []]);
  });
});
