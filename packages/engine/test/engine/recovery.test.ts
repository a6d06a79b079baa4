// Definitions and names over time: an execution keeps the definition that it began with.

import { describe, expect, it } from "vitest";
import { Engine, workflow, type BuiltWorkflow } from "../../src/index.ts";
import { hang, openTestEngine, script, succeed, type TestEngine } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { flow, one, step } from "./sample-flow.ts";

const scratch = scratchFolder();

const OLD = flow([step("a"), step("old", { after: ["a"] })], { output: "old" });
const NEW = flow([step("a"), step("new", { after: ["a"] })], { output: "new" });

async function listNames(test: TestEngine, id: string): Promise<readonly string[]> {
  return (await (await test.get(id)).status()).steps.map(({ name }) => name);
}

describe("a definition that is changed under a running execution", () => {
  it("CONTRACT-8 is not the running one's, before and after a restart; new starts take it", async () => {
    const work = script([hang(), succeed(), succeed(), succeed(), succeed()]);
    await using test = await openTestEngine({ agents: { work } });
    const { id } = await test.start(OLD);
    await test.untilIdle();
    test.engine.register(NEW);
    await test.crash();
    test.engine.register(NEW);
    await test.untilIdle();
    const second = await test.start("flow", null, { id: "second" });
    await test.untilIdle();
    expect([await listNames(test, id), await listNames(test, "second")]).toEqual([
      ["a", "old"],
      ["a", "new"],
    ]);
    expect(await Promise.all([(await test.get(id)).result(), second.result()])).toEqual(["old", "new"]);
  });

  it("CONTRACT-8 on a file, the old one is found by a process that has never seen it", async () => {
    const file = scratch.file();
    const first = await Engine.open({ file, agents: { work: () => new Promise(() => undefined) } });
    const { id } = await first.start(OLD);
    await first.close();
    await using second = await Engine.open({ file, workflows: [NEW], agents: { work: async () => 1 } });
    expect(await (await second.get(id)).result()).toBe("old");
    expect(await (await second.start("flow")).result()).toBe("new");
  });
});

const saying = (word: string): BuiltWorkflow<unknown, string> =>
  workflow("twin")
    .step("say", () => word)
    .output(({ outputs }) => outputs.say);

describe("two workflows of the same name", () => {
  it("CONTRACT-8 with different functions each run their own, or the second is refused", async () => {
    const [left, right] = [saying("left"), saying("right")];
    await using test = await openTestEngine();
    const say = async (built: BuiltWorkflow<unknown, string>): Promise<string> => {
      const handle = await test.start(built, null).catch((error: { code: string }) => error.code);
      return typeof handle === "string" ? "refused" : handle.result();
    };
    const said = [await say(left), await say(right), await say(left)];
    expect([
      ["left", "right", "left"],
      ["left", "refused", "left"],
    ]).toContainEqual(said);
  });

  it("CONTRACT-8 with different functions do not change each other while they run", async () => {
    const gate = Promise.withResolvers<void>();
    const twin = (word: string, wait: Promise<void>): BuiltWorkflow<unknown, string> =>
      workflow("twin")
        .step("wait", () => wait)
        .step("say", { dependsOn: ["wait"] }, () => word)
        .output(({ outputs }) => outputs.say);
    await using test = await openTestEngine();
    const left = await test.start(twin("left", gate.promise), null);
    await test.start(twin("right", Promise.resolve()), null).catch(() => undefined);
    gate.resolve();
    expect(await left.result()).toBe("left");
  });

  it("CONTRACT-8 with different steps run side by side, each with its own graph", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 } });
    const [first, second] = [await test.start(OLD), await test.start(NEW)];
    expect(await Promise.all([first.result(), second.result()])).toEqual(["old", "new"]);
    const third = await test.start(OLD);
    expect(await third.result()).toBe("old");
  });
});

describe("a start right after a crash", () => {
  it("JOURNAL-3 gets an id of its own from the environment of a test, in the same moment too", async () => {
    await using test = await openTestEngine({ agents: { work: async () => 1 }, onFault: () => undefined });
    const first = await test.start(one());
    await test.untilIdle();
    await test.crash();
    const second = test.start(one()).then(({ id }) => id);
    expect([first.id, "hangs"]).not.toContain(await Promise.race([second, test.advance("1m").then(() => "hangs")]));
  });
});
