// Recorded calls of agents: registered ones, modules on the main thread and modules on worker threads (STATE-14).

import { describe, expect, it } from "vitest";
import type { EngineOptions, StepContext } from "../../src/index.ts";
import { eventually } from "../eventually.ts";
import { contract, useFixture } from "../running/fixture.ts";

const fixture = useFixture();

/** A contract with one module agent, and the module. */
function withModule(work: string, settings: string): string {
  fixture.current.write("work.mjs", `import { appendFileSync } from "node:fs";\n${work}`);
  return `name: flow
secrets: [token]
agents: { work: { module: ./work.mjs${settings} } }
steps: [{ id: work, agent: work, input: { file: ${fixture.current.path("made.txt")} }, secrets: [token], retry: { attempts: 2, base: 1ms } }]
output: \${ steps.work.output }
`;
}

const THREAD = ", thread: true";
const SECRETS: EngineOptions = { secrets: () => "hunter2-hunter2" };

/** Its first attempt fails after all calls. */
const TWICE = `export default async ({ file }, { run, attempt }) => {
  const make = (value) => () => { appendFileSync(file, value + "\\n"); return { value }; };
  const plan = await run("plan", make("plan"));
  const items = await Promise.all([1, 2].map((item) => run("item", make("item " + item))));
  const nothing = await run("nothing", () => undefined);
  if (attempt === 1) throw new Error("not yet");
  return { plan, items, nothing };
};`;

const VALUES = { plan: { value: "plan" }, items: [{ value: "item 1" }, { value: "item 2" }], nothing: null };

describe("a recorded call of an agent", () => {
  it("STATE-14 is made once by a registered agent, although its step is tried again", async () => {
    const made: string[] = [];
    const work = async (_: unknown, { run, attempt }: StepContext) => {
      const plan = await run("plan", () => made.push("plan"));
      if (attempt === 1) throw new Error("not yet");
      return plan;
    };
    const yaml =
      "name: f\nsteps: [{ id: a, agent: work, retry: { attempts: 2, base: 1ms } }]\noutput: ${ steps.a.output }\n";
    expect(await (await fixture.current.start(yaml, { agents: { work } })).result()).toBe(1);
    expect(made).toEqual(["plan"]);
  });

  for (const [where, settings] of [
    ["the main thread", ""],
    ["a worker thread", THREAD],
  ] as const)
    it(`STATE-14 is made once by a module on ${where}; a repeated name gets a number`, async () => {
      const handle = await fixture.current.start(withModule(TWICE, settings), SECRETS);
      expect(await handle.result()).toEqual(VALUES);
      expect(fixture.current.text("made.txt").trim().split("\n")).toEqual(["plan", "item 1", "item 2"]);
      const { calls = [] } = (await handle.status()).steps.find(({ name }) => name === "work")!;
      expect(calls.map(({ name }) => name)).toEqual(["plan", "item", "item#2", "nothing"]);
      for (const { startedAt, completedAt } of calls) expect(completedAt).toBeGreaterThanOrEqual(startedAt);
    });

  it("STATE-14 JOURNAL-3 of a worker thread is given back to a new owner", async () => {
    const work = `import { existsSync } from "node:fs";
    export default async ({ file }, { run, heartbeat }) => {
      const text = await run("first", () => { appendFileSync(file, "first\\n"); return "x".repeat(100_000); });
      heartbeat();
      if (!existsSync(file + ".go")) await new Promise(() => {});
      return [text.length, await run("second", () => 2)];
    };`;
    const first = await fixture.current.open(SECRETS);
    const { id } = await first.start(contract(withModule(work, THREAD)), null);
    await eventually(async () => {
      expect((await (await first.get(id)).status()).heartbeats).toHaveProperty("work");
    });
    await first.close({ drainMs: 0 });
    fixture.current.write("made.txt.go", "");
    const second = await fixture.current.open(SECRETS);
    expect(await (await second.get(id)).result()).toEqual([100_000, 2]);
    expect(fixture.current.text("made.txt")).toBe("first\n");
  });
});

describe("a recorded call of a worker thread", () => {
  it("DATA-9 of a worker thread has its value masked from the start", async () => {
    const work = `export default (_, { run, secrets }) => run("say", () => "it is " + secrets.token);`;
    const handle = await fixture.current.start(withModule(work, THREAD), SECRETS);
    expect(await handle.result()).toBe("it is ***");
  });

  it("STATE-14 of a worker thread is tried again and has a time limit, as on the main thread", async () => {
    const work = `export default async (_, { run }) => {
      const tries = await run("flaky", ({ attempt }) => { if (attempt < 3) throw new Error("no"); return attempt; }, { retry: { attempts: 3, base: "1ms" } });
      const late = await run("slow", ({ signal }) => new Promise(() => {}), { timeout: "5ms" }).catch(({ code }) => code);
      return { tries, late };
    };`;
    const handle = await fixture.current.start(withModule(work, THREAD), SECRETS);
    expect(await handle.result()).toEqual({ tries: 3, late: "CALL_TIMEOUT" });
  });

  it.each([
    ["CALL_INVALID", `run("", () => 1)`],
    ["CALL_INVALID", `run("a", 1)`],
    ["CALL_INVALID", `run("a", () => 1, { retries: 2 })`],
    ["OUTPUT_NOT_JSON", `run("a", () => new Map())`],
    ["OUTPUT_NOT_JSON", `run("a", () => ({ get x() { throw new Error("no"); } }))`],
    ["VALUE_TOO_LARGE", `run("a", () => "x".repeat(11_000_000))`],
    ["CALLS_LIMIT", `Promise.all(Array.from({ length: 1000 }, () => run("a", () => 1)))`],
  ])("STATE-14 of a worker thread that is wrong fails its step with %s: %s", async (code, call) => {
    const work = `export default (_, { run }) => ${call};`;
    const options = { ...SECRETS, limits: { recordedCalls: 100 } };
    const handle = await fixture.current.start(withModule(work, THREAD), options);
    await expect(handle.result()).rejects.toMatchObject({ failure: { class: "permanent", code } });
  });

  it("LEASE-2 of a worker thread does not begin after its attempt has ended", async () => {
    const work = `let late;
      export default async ({ file }, { run, attempt }) => {
        if (attempt === 1) {
          late = () => run("late", () => appendFileSync(file, "late")).catch(({ code }) => code);
          throw new Error("not yet");
        }
        return { late: await late(), own: await run("own", () => 1) };
      };`;
    const handle = await fixture.current.start(withModule(work, THREAD), SECRETS);
    expect(await handle.result()).toEqual({ late: "ATTEMPT_NOT_RUNNING", own: 1 });
    expect(fixture.current.has("made.txt")).toBe(false);
  });
});
