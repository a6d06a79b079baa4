// `segno serve` and `segno token`: the real command, in processes of its own (HTTP-7).

import { createServer } from "node:net";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";
import { writeModules } from "./module-fixture.ts";
import { ServedFolder } from "./served-folder.ts";

let shop: CommandFixture;
beforeEach(async () => void (shop = await CommandFixture.open()));
afterEach(() => shop[Symbol.asyncDispose]());

describe("segno serve", () => {
  it("HTTP-7 prints what it serves and a login link without a token, and stops in order when it is told to", async () => {
    await using served = await ServedFolder.open(shop, ["."]);
    expect(served.printed).toContain("8 workflows: chatty, endless, failing, forked, lively, patient, quick, strict\n");
    expect(served.printed).toMatch(
      /^log in once, within 10 minutes: http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]{43}$/mu,
    );
    expect(served.printed).not.toContain("segno_");
    const link = /http\S+login\S+/u.exec(served.printed)![0];
    const login = await fetch(link, { redirect: "manual" });
    const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
    const own = await fetch(`${served.url}/v1/tokens`, { headers: { cookie } });
    expect(((await own.json()) as { tokens: { name: string }[] }).tokens.map(({ name }) => name)).toEqual(["admin"]);
    const run = await served.stop("SIGTERM");
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining("stopping; requests and running steps")]);
  });

  it("HTTP-1 runs what the API starts, and what was unfinished before it", async () => {
    const before = await shop.run(["run", "endless.yaml", "--detach", "--id", "before"]);
    expect(before.exitCode).toBe(0);
    await using served = await ServedFolder.open(shop, ["quick.yaml"]);
    await served.logIn("run,read");
    const done = await served.start({ workflow: "quick", input: { name: "Ann" } });
    expect([done.status, done.json["output"]]).toEqual([200, { done: "Ann" }]);
    expect((await served.call("/v1/executions/before")).json["status"]).toBe("running");
  });

  it("HTTP-5 of a second process on the same journal offers the same, and posts to the first", async () => {
    await using first = await ServedFolder.open(shop, ["quick.yaml"]);
    await using second = await ServedFolder.open(shop, ["quick.yaml"]);
    await second.logIn("run,read");
    expect((await second.start({ workflow: "quick", id: "posted" })).status).toBe(200);
    expect((await first.stop("SIGINT")).exitCode).toBe(0);
    // The second takes over.
    expect((await second.start({ workflow: "quick", id: "taken-over" })).status).toBe(200);
  });
});

describe("the workflows of segno serve", () => {
  it("HTTP-7 lets contracts of the API name the agents of its modules, and has the contracts again after a restart", async () => {
    await writeModules(shop, {
      "flows.ts": `import { agent, workflow } from "segno";
export const greet = agent("greet", ({ input }: { input: unknown }) => JSON.stringify(input));
export const hello = workflow("hello").step("say", () => "hi").output(({ outputs }) => outputs.say);
`,
    });
    const contract = {
      name: "greets",
      steps: [{ id: "a", agent: "greet", input: "${ input }" }],
      output: "${ steps.a.output }",
    };
    {
      await using served = await ServedFolder.open(shop, ["flows.ts"]);
      await served.logIn("run,read,define");
      expect((await served.call("/v1/workflows/greets", "PUT", { contract })).status).toBe(201);
      const commands = { contract: { ...contract, steps: [{ id: "a", run: "id" }] } };
      expect((await served.call("/v1/workflows/greets", "PUT", commands)).json["code"]).toBe("KIND_REFUSED");
    }
    await using again = await ServedFolder.open(shop, ["flows.ts", "--allow", "run"]);
    await again.logIn("run,read,define");
    expect(again.printed).toContain("1 workflow: hello\n");
    const commands = { contract: { ...contract, steps: [{ id: "a", run: "echo hi" }] } };
    expect((await again.call("/v1/workflows/greets", "PUT", commands)).status).toBe(201);
    await using third = await ServedFolder.open(shop, ["flows.ts", "--allow", "run,agent"]);
    expect(third.printed).toContain("2 workflows: greets, hello\n");
  });

  it("HTTP-7 WORKFLOW_FIXED: contracts of the API do not replace a contract that a served one calls", async () => {
    await writeFile(shop.path("calls.yaml"), "name: calls\nsteps:\n  - { id: a, workflow: quick }\n");
    await using served = await ServedFolder.open(shop, ["calls.yaml"]);
    expect(served.printed).toContain("1 workflow: calls\n");
    await served.logIn("define");
    const contract = { name: "quick", steps: [{ id: "a", wait: { for: "1ms" } }] };
    expect((await served.call("/v1/workflows/quick", "PUT", { contract })).json["code"]).toBe("WORKFLOW_FIXED");
  });

  it("HTTP-5 plans a workflow with an input, and refuses an input that does not fit", async () => {
    await using served = await ServedFolder.open(shop, ["strict.yaml"]);
    await served.logIn("read");
    const plan = await served.call("/v1/workflows/strict/plan", "POST", { input: { tag: "v1" } });
    expect([plan.status, plan.json["hasInput"], plan.json["waves"]]).toEqual([200, true, [["first"]]]);
    const unfit = await served.call("/v1/workflows/strict/plan", "POST", { input: {} });
    expect([unfit.status, unfit.json["code"]]).toEqual([422, "INPUT_INVALID"]);
    expect((await served.call("/v1/executions")).json["executions"]).toEqual([]);
  });

  it("HTTP-7 listens on another address only when there is a token", async () => {
    const refused = await shop.run(["serve", "quick.yaml", "--host", "0.0.0.0", "--port", "0"]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("segno token create")]);
    await shop.run(["token", "create", "ops", "--scopes", "admin"]);
    await using served = await ServedFolder.open(shop, [
      "quick.yaml",
      "--host",
      "0.0.0.0",
      "--hosts",
      "segno.example.com",
    ]);
    expect(served.printed).toContain("no login link: there is no token `admin`");
  });
});

describe("segno serve refuses", () => {
  it("a contract with problems, with the place of the problem", async () => {
    await writeFile(shop.path("broken.yaml"), "name: broken\nsteps:\n  - { id: a, waits: 1 }\n");
    const run = await shop.run(["serve", "--port", "0"]);
    expect([run.exitCode, run.stderr]).toEqual([3, expect.stringContaining("broken.yaml:3")]);
  });

  it("two workflows of one name", async () => {
    await writeFile(shop.path("copy.yaml"), "name: quick\nsteps:\n  - { id: a, wait: { for: 1ms } }\n");
    const run = await shop.run(["serve", "quick.yaml", "copy.yaml", "--port", "0"]);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("two files have a workflow `quick`")]);
  });

  it("a port that another process has", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const run = await shop.run(["serve", "quick.yaml", "--port", String(port)]);
    other.close();
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("EADDRINUSE")]);
  });

  it.each([
    ["a kind of step that does not exist", ["--allow", "http,shell"], 2, "expected kinds of"],
    ["a port that is none", ["--port", "70000"], 2, "0 to 65535"],
    ["a file of hooks that does not exist", ["--hooks", "none.json"], 3, "INPUT_UNREADABLE"],
    ["a path that does not exist", ["nowhere"], 3, "nowhere"],
  ])("%s", async (_, words, exitCode, text) => {
    const run = await shop.run(["serve", "quick.yaml", ...words]);
    expect([run.exitCode, run.stderr]).toEqual([exitCode, expect.stringContaining(text)]);
  });
});

describe("segno token", () => {
  it("HTTP-7 makes a token that is printed once, lists it without the token, and revokes it while a server runs", async () => {
    await using served = await ServedFolder.open(shop, ["endless.yaml"]);
    await served.logIn("run,read");
    await served.call("/v1/executions", "POST", { workflow: "endless", id: "e1" });
    const list = await shop.run(["token", "list"]);
    expect(list.stdout).toBe("name    scopes    expires\nadmin   admin     never\ntester  run,read  never\n");
    const json = await shop.run(["token", "list", "--json"]);
    expect(json.stdout).not.toContain(served.token.slice("segno_".length));
    const stream = await fetch(`${served.url}/v1/executions/e1/events`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect((await shop.run(["token", "revoke", "tester"])).stdout).toBe("revoked the token of tester\n");
    // The stream ends, although the execution goes on.
    await stream.text();
    expect((await served.call("/v1/executions")).status).toBe(401);
    expect(await shop.run(["token", "revoke", "tester"])).toMatchObject({ exitCode: 5 });
  });

  it("HTTP-7 makes tokens that expire, and refuses scopes that do not exist", async () => {
    const made = await shop.run(["token", "create", "brief", "--scopes", "read", "--expires", "1ms"]);
    expect(made.stdout).toMatch(/^segno_[\w-]{43}\n$/u);
    expect((await shop.run(["token", "list"])).stdout).toContain("brief  read    expired");
    expect(await shop.run(["token", "create", "x", "--scopes", "root"])).toMatchObject({ exitCode: 2 });
    expect(await shop.run(["token", "create", "x"])).toMatchObject({ exitCode: 2 });
    expect(await shop.run(["token", "create", "a/b", "--scopes", "read"])).toMatchObject({ exitCode: 2 });
  });
});
