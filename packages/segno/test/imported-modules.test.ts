// `--import`: a worker registers the workflows and agents of a module, for executions whose definition does not name it.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";
import { writeModules } from "./module-fixture.ts";

const MODULES = {
  "order.ts":
    'import { agent, sleep, workflow } from "segno";\n' +
    'export const order = workflow("order").step("wait", sleep("1ms"))\n' +
    '  .step("pay", { dependsOn: ["wait"] }, () => "paid").output(({ outputs }) => outputs.pay);\n' +
    'export const greet = agent("greet", (input) => `Hello, ${input}`);\n',
  "program.ts":
    'import { Engine } from "segno";\nimport { order } from "./order.ts";\n' +
    "const engine = await Engine.open({ limits: { slots: 0 } });\n" +
    'await engine.start(order, null, { id: "begun" });\nawait engine.close();\n',
  "loud.ts":
    'import { workflow } from "segno";\nimport { greet } from "./order.ts";\n' +
    'export const loud = workflow("loud").step("say", { input: "Cy" }, greet).output(({ outputs }) => outputs.say);\n',
  "shout.ts": 'import { agent } from "segno";\nexport const greet = agent("greet", (input) => `HELLO, ${input}`);\n',
  "nothing.ts": "export const answer = 42;\n",
  "boom.ts": 'throw new Error("boom");\n',
  "greeting.yaml":
    'name: greeting\nsteps: [{ id: say, agent: greet, input: "${ input }" }]\noutput: "${ steps.say.output }"\n',
};

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeModules(shop, MODULES);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("--import", () => {
  it("FAIL-9 continues an execution that a program started, and a worker without it says what to type", async () => {
    await promisify(execFile)(process.execPath, ["program.ts"], { cwd: shop.folder });
    const bare = await shop.run(["work", "--until-idle"]);
    expect(bare).toMatchObject({ exitCode: 0 });
    expect(bare.stderr).toContain("no agent or function is registered for `order/pay`");
    expect((await shop.run(["show", "begun"])).stdout).toContain("next: segno work --import FILE\n");
    expect(await shop.run(["work", "--until-idle", "--import", "order.ts"])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "begun")).toMatchObject({ status: "completed", output: "paid" });
  });

  it("registers the agents that a contract names, and the lines to type repeat it", async () => {
    const run = await shop.run(["run", "greeting.yaml", "--input", '"Ada"', "--import", "order.ts"]);
    expect(run).toMatchObject({ exitCode: 0, stdout: '"Hello, Ada"\n' });
    expect(run.stderr).toContain("if this is interrupted: segno work --import order.ts\n");
  });

  it("replaces the agents that a workflow brings", async () => {
    expect(await shop.run(["run", "loud.ts"])).toMatchObject({ stdout: '"Hello, Cy"\n' });
    expect(await shop.run(["run", "loud.ts", "--import", "shout.ts"])).toMatchObject({ stdout: '"HELLO, Cy"\n' });
  });

  it("is passed on to a background process", async () => {
    const { stdout } = await shop.run(["run", "greeting.yaml", "--input", '"Bo"', "--import", "order.ts", "--detach"]);
    await shop.run(["watch", stdout.trim()]);
    expect(await shop.json("show", stdout.trim())).toMatchObject({ status: "completed", output: "Hello, Bo" });
  });

  it.each([
    [
      "WORKFLOW_EXPORT_MISSING a module with nothing to register",
      "nothing.ts",
      "it exports neither a workflow nor an agent",
    ],
    ["WORKFLOW_MODULE_FAILED a module that throws, with its line", "boom.ts", "--import boom.ts: boom.ts:1:7: "],
    ["WORKFLOW_MODULE_MISSING a file that is not there", "gone.ts", "there is no file gone.ts"],
  ])("refuses %s", async (name, file, message) => {
    const run = await shop.run(["work", "--until-idle", "--import", file]);
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stderr).toContain(`segno: ${name.split(" ")[0]} `);
    expect(run.stderr).toContain(message);
  });

  it("JOURNAL_OWNED refuses a start whose module the owner of the journal has not imported", async () => {
    await writeFile(shop.path("slow.yaml"), "name: slow\nsteps: [{ id: gate, wait: { signal: never } }]\n");
    const owner = shop.start(["run", "slow.yaml", "--db", "owned.db"]);
    await owner.reports(/gate waits/u);
    const second = await shop.run(["run", "greeting.yaml", "--db", "owned.db", "--import", "order.ts"]);
    expect(second).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("without this --import") });
    owner.send("SIGKILL");
    await owner.ended;
  });
});
