// Steps inside others: how `run`, `show` and `why` list them, count them and name them.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const FILES: Readonly<Record<string, string>> = {
  "inner.yaml": `
name: inner
version: "1"
steps:
  - { id: say, wait: { for: 10ms } }
  - { id: again, wait: { for: 10ms }, dependsOn: [say] }
`,
  "outer.yaml": `
name: outer
steps:
  - { id: call, workflow: inner@1 }
  - id: each
    dependsOn: [call]
    map: { over: input, label: "\${ item }", steps: [{ id: look, wait: { for: 10ms } }, { id: store, workflow: inner@1 }] }
  - { id: last, wait: { for: 10ms }, dependsOn: [each] }
`,
  "saga.yaml": `
name: saga
onFailure: compensate
steps:
  - { id: car, run: exit 0, compensate: { run: exit 0 } }
  - { id: room, run: exit 0, dependsOn: [car], compensate: { run: exit 0 } }
  - { id: pay, run: exit 1, dependsOn: [room] }
`,
  "picky.yaml": `
name: picky
steps:
  - id: each
    map:
      over: input
      tolerance: 1
      concurrency: 1
      steps: [{ id: pick, run: 'exit "$CODE"', env: { CODE: "\${ item }" } }]
`,
  "flaky.yaml": `
name: flaky
steps: [{ id: try, run: exit 75, retry: { attempts: 2, base: 10ms } }]
`,
};

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  for (const [name, text] of Object.entries(FILES)) await writeFile(shop.path(name), text);
});
afterAll(() => shop[Symbol.asyncDispose]());

/** The rows of a table, without what changes from run to run. */
function readRows(text: string): readonly string[] {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.startsWith("  step "));
  const rows = lines.slice(head + 1, lines.indexOf("", head));
  return rows.map((row) => row.replace(/ {2,}\S*\d+(?:\.\d)?m?s( |$)/u, "$1").trimEnd());
}

const OUTER = [
  "✓ call → inner@1 succeeded -",
  "✓ ├ say succeeded -",
  "✓ └ again succeeded -",
  "✓ each succeeded -",
  "✓ ├ 0/look (cat) succeeded -",
  "✓ └ 0/store (cat) → inner@1 succeeded -",
  "✓ ├ say (cat) succeeded -",
  "✓ └ again (cat) succeeded -",
  "✓ last succeeded -",
  " name a step by its path: segno logs tree call/say",
];

describe("steps inside others", () => {
  it("STATE-9 stand below their parent in run and show, by the last part of their name", async () => {
    const run = await shop.run(["run", "outer.yaml", "--id", "tree", "--input", '["cat"]']);
    expect(run.exitCode).toBe(0);
    const shown = await shop.run(["show", "tree"]);
    for (const text of [run.stderr, shown.stdout])
      expect(readRows(text).map((row) => row.replaceAll(/ +/gu, " "))).toEqual(OUTER);
    expect(await shop.run(["why", "tree", "each/0/store/say"])).toMatchObject({ exitCode: 0 });
  });

  it("STATE-9 have their whole name in JSON, and calls say which workflow they are", async () => {
    await shop.run(["run", "outer.yaml", "--id", "data", "--input", '["cat"]']);
    const { steps } = await shop.json<{ steps: readonly { name: string; workflow?: string }[] }>("show", "data");
    expect(steps).toContainEqual(expect.objectContaining({ name: "call", workflow: "inner@1" }));
    expect(steps).toContainEqual(expect.objectContaining({ name: "each/0/store/again", label: "cat" }));
  });
});

describe("a saga that was undone twice", () => {
  it("FAIL-8 STATE-9 shows each undoing once, below what it undid, and counts steps and not undoings", async () => {
    await shop.run(["run", "saga.yaml", "--id", "twice"]);
    const again = await shop.run(["retry", "twice"]);
    const rows = [
      /^↺ car +undone +1$/u,
      /^✓ └ compensate +succeeded +1$/u,
      /^↺ room +undone +1$/u,
      /^✓ └ compensate +succeeded +1$/u,
      /^✗ pay +failed +1 +the command ended with exit code…$/u,
      /^ {2}name a step by its path: segno logs twice \S+\/compensate$/u,
    ];
    for (const text of [again.stderr, (await shop.run(["show", "twice"])).stdout]) {
      expect(readRows(text)).toHaveLength(rows.length);
      rows.forEach((row, place) => expect(readRows(text)[place]).toMatch(row));
    }
    expect(again.stderr).toMatch(/\nsaga failed in \S+: 2 undone, 1 failed\n/u);
    expect((await shop.run(["show", "twice"])).stdout).toContain(", 3 of 3 steps ended, round 2\n");
  });

  it("FAIL-8 says `undone` in JSON, and why answers once", async () => {
    await shop.run(["run", "saga.yaml", "--id", "read"]);
    await shop.run(["retry", "read"]);
    const { steps } = await shop.json<{ steps: readonly { name: string; undone?: boolean }[] }>("show", "read");
    const undone = steps.filter((step) => step.undone === true).map(({ name }) => name);
    expect(undone).toEqual(["car", "room"]);
    expect(steps.map(({ name }) => name)).toEqual(["car", "room", "pay", "room/compensate", "car/compensate"]);
    const why = await shop.run(["why", "read", "car/compensate"]);
    expect(why.stdout.match(/has ended: succeeded/gu)).toHaveLength(1);
    expect((await shop.run(["why", "read", "car"])).stdout).toContain("`car` has ended: succeeded, and was undone\n");
  });

  it("STATE-2 takes the time of a step that runs again from its start in that round", async () => {
    await shop.run(["run", "saga.yaml", "--id", "timed"]);
    const before = await shop.json<Timed>("show", "timed");
    await shop.run(["retry", "timed"]);
    const after = await shop.json<Timed>("show", "timed");
    expect(after.steps[0]!.startedAt).toBeGreaterThanOrEqual(before.completedAt);
    expect(after.steps[0]!.durationMs).toBeLessThanOrEqual(after.durationMs);
  });
});

interface Timed {
  readonly completedAt: number;
  readonly durationMs: number;
  readonly steps: readonly { readonly startedAt: number; readonly durationMs: number }[];
}

describe("what is said of steps", () => {
  it("BEYOND-1 a map over its tolerance says how many items failed, and how many may", async () => {
    const run = await shop.run(["run", "picky.yaml", "--input", "[1, 0, 2, 0]"]);
    const message =
      "2 of 4 items failed, 1 is tolerated; the last: `each/2` failed: the command ended with exit code 2";
    expect(run.stderr).toContain(`\nCOMMAND_FAILED ${message}\n`);
    expect(run.stderr).toMatch(/\n- └ 3 +skipped +- +- {2}`each\/2` failed\n/u);
  });

  it("FAIL-3 retry says how many attempts there are, as run does", async () => {
    const line = "↻ try attempt 1 of 2 failed: the command ended with exit code 75; again in";
    expect((await shop.run(["run", "flaky.yaml", "--id", "more"])).stderr).toContain(line);
    expect((await shop.run(["retry", "more"])).stderr).toContain(line);
  });
});

describe("the next command", () => {
  it("LEASE-5 is to look on while a process is at it, and to work where none is", async () => {
    const running = shop.start(["run", "endless.yaml", "--id", "busy", "--db", "owned.db"]);
    await running.reports(/gate waits/u);
    expect((await shop.run(["show", "busy", "--db", "owned.db"])).stdout).toMatch(
      /\nnext: segno signal busy never --db owned.db\n {6}segno watch busy --db owned.db\n$/u,
    );
    running.send("SIGKILL");
    await running.ended;
    expect((await shop.run(["show", "busy", "--db", "owned.db"])).stdout).toMatch(
      /\nnext: segno signal busy never --db owned.db\n {6}segno work --db owned.db\n {6}segno watch busy --db owned.db\n$/u,
    );
  });
});
