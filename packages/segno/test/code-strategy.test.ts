// `segno code run` with a custom scheduling strategy.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";

const TASKS = ["one", "two", "three", "four"];
const LAST_FIRST = "export const strategy = { selectTask: (ready) => ready.at(-1) };\n";

class StrategyFixture extends CodeFixture {
  readonly order: string = join(this.root, "order");

  constructor(module: string, script = "") {
    super();
    mkdirSync(join(this.root, "conf"));
    this.write("conf/strategy.mjs", module);
    this.configure("module: ./strategy.mjs");
    const agent = this.agent(
      "agent.sh",
      `echo "$SEGNO_TASK_ID" >> ${this.order}\n${script}\necho "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"`,
    );
    // A long text, so that the input lies beside the journal.
    const text = "x".repeat(70_000);
    this.write(
      "t.yaml",
      this.template(agent, TASKS.map((id) => `  - { id: ${id}, instructions: "${text}" }`).join("\n")),
    );
  }

  configure(module: string): void {
    this.write(
      "conf/c.yaml",
      `executor: { scheduling: { strategy: custom, ${module}, max_parallel_tasks: 1 }, retry: { base_delay: 0 } }\n`,
    );
  }

  words(command: string): readonly string[] {
    return [command, "t.yaml", "--repo", "repository", "--config", "conf/c.yaml"];
  }

  started(): readonly string[] {
    return existsSync(this.order) ? readFileSync(this.order, "utf8").trim().split("\n") : [];
  }
}

describe("a custom strategy", () => {
  it("CODE-13 is found from the configuration file, and orders the tasks", async () => {
    using fixture = new StrategyFixture(LAST_FIRST);
    const { exitCode, stderr } = await fixture.run([...fixture.words("run"), "--quiet"]);
    expect(exitCode, stderr).toBe(0);
    expect(fixture.started()).toEqual(TASKS.toReversed());
  });

  it("CODE-10 CODE-13 still orders the tasks after a kill, and nothing is paused", async () => {
    using fixture = new StrategyFixture(LAST_FIRST, 'if [ "$SEGNO_TASK_ATTEMPT" = 1 ]; then sleep 0.2; fi');
    const first = fixture.start(["code", ...fixture.words("run"), "--quiet"]);
    while (fixture.started().length === 0) await sleep(10);
    first.send("SIGKILL");
    await first.ended;
    const { exitCode, stderr } = await fixture.start(["work", "--until-idle"]).ended;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain("parked");
    expect([...new Set(fixture.started())]).toEqual(TASKS.toReversed());
  });

  it("CODE-13 orders the tasks of a workflow that goes on in the background", async () => {
    using fixture = new StrategyFixture(LAST_FIRST);
    const started = await fixture.run([...fixture.words("run"), "--detach"]);
    expect(started.exitCode, started.stderr).toBe(0);
    await expect.poll(() => fixture.git("ls-tree", "--name-only", "main"), { timeout: 60_000 }).toContain("one.txt");
    expect(fixture.started()).toEqual(TASKS.toReversed());
  });
});

describe("a custom strategy that is not valid", () => {
  it.each([
    ["throws", "throw new Error('no idea')", /STRATEGY_INVALID.*no idea/su],
    ["chooses a task that is not ready", "return { id: 'nothing' }", /STRATEGY_INVALID.*`nothing`/su],
    ["answers later", "return Promise.resolve(ready[0])", /STRATEGY_INVALID.*promise/su],
  ])("CODE-14 because it %s fails the workflow with its code, and no agent starts", async (_, body, message) => {
    using fixture = new StrategyFixture(`export class strategy { selectTask(ready) { ${body} } }\n`);
    const run = await fixture.run([...fixture.words("run"), "--quiet"]);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(message);
    expect(fixture.started()).toEqual([]);
    fixture.write("conf/strategy.mjs", LAST_FIRST);
    const again = await fixture.start(["retry", "@last", "--quiet"]).ended;
    expect(again.exitCode, again.stderr).toBe(0);
    expect(fixture.started()).toEqual(TASKS.toReversed());
  });

  it("CODE-13 because its module is missing or wrong is refused before anything is created", async () => {
    using fixture = new StrategyFixture("export const other = 1;\n");
    const before = fixture.traces();
    const refused = async (command: string, message: RegExp): Promise<void> => {
      const { exitCode, stderr } = await fixture.run(fixture.words(command));
      expect(stderr).toMatch(message);
      expect([exitCode, fixture.traces()]).toEqual([3, before]);
    };
    for (const command of ["plan", "run"])
      await refused(command, /CONFIGURATION_INVALID .*strategy\.mjs` exports no `strategy` with `selectTask`/u);
    fixture.configure("module: ./missing.mjs");
    await refused("plan", /CONFIGURATION_INVALID .*conf\/missing\.mjs` of the strategy cannot be loaded/u);
    fixture.write("conf/broken.mjs", "export const strategy = {");
    fixture.configure("module: ./broken.mjs");
    await refused("run", /CONFIGURATION_INVALID .*broken\.mjs` of the strategy cannot be loaded/u);
  });
});
