// Real commands in steps: what they write, how they are stopped, what is left of them.

import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

/** Unique words, so that what is left running can be found among the processes of this machine. */
const MARK = `segno-test-${process.pid}`;

const CONTRACTS: Readonly<Record<string, string>> = {
  "build.yaml": `
name: build
steps:
  - id: compile
    run: |
      echo compiling
      echo careful >&2
  - id: flaky
    run: test -f flag || { touch flag; echo no luck >&2; exit 75; }
    retry: { attempts: 3, base: 20ms }
  - id: check
    exec: [sh, -c, "echo checking; exit 3"]
    dependsOn: [compile, flaky]
`,
  "polite.yaml": `
name: polite
steps:
  - id: server
    run: |
      trap 'echo cleaning up; exit 0' TERM
      echo ready ${MARK}
      while :; do sleep 0.05; done
`,
  "deaf.yaml": `
name: deaf
steps:
  - id: server
    run: |
      trap '' TERM INT
      echo ready ${MARK}
      while :; do sleep 0.05; done
`,
  "talking.yaml": `
name: talking
agents: { here: { module: ./talk.mjs }, there: { module: ./talk.mjs, thread: true } }
steps:
  - { id: a, agent: here }
  - { id: b, agent: there, dependsOn: [a] }
`,
  "talk.mjs": `export default (_, { log }) => log.warn({ n: 1 }, "careful");`,
  "host.yaml": `
name: host
steps:
  - { id: only, run: "while ! test -f host-done; do sleep 0.02; done" }
`,
  "guest.yaml": `
name: guest
steps:
  - { id: first, run: "echo once >> guest-runs; while ! test -f guest-done; do sleep 0.02; done" }
  - { id: second, run: "echo second", dependsOn: [first] }
`,
  "secret.yaml": `
name: secret
secrets: [token]
steps:
  - id: use
    run: echo "the token is $TOKEN"
    env: { TOKEN: "\${ secrets.token }" }
    secrets: [token]
`,
  "stranded.yaml": `
name: stranded
steps:
  - { id: review, agent: nobody }
`,
};

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  for (const [file, text] of Object.entries(CONTRACTS)) await writeFile(shop.path(file), text);
});
afterAll(() => shop[Symbol.asyncDispose]());

/** Processes of these tests that still run, the shell that asks aside. */
function leftRunning(): string {
  return spawnSync("sh", ["-c", `ps -eo args | grep "[e]cho ready ${MARK}"`]).stdout.toString();
}

describe("what steps write", () => {
  it("is shown as it comes, between the start and the end of the step, with the step's name", async () => {
    const run = await shop.run(["run", "build.yaml", "--id", "build"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    const lines = run.stderr.split("\n");
    const place = (line: string): number => lines.findIndex((each) => each.startsWith(line));
    const order = ["▶ compile", "compile │ compiling", "✓ compile"].map(place);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order[0]).toBeGreaterThan(0);
    expect(run.stderr).toContain("compile │ careful\n");
    expect(run.stderr).toMatch(/↻ flaky attempt 1 of 3 failed: .*75.*; again in 20ms\n/u);
    expect(run.stderr).toMatch(/✓ flaky \S+, attempt 2 of 3\n/u);
    expect(run.stderr).toMatch(/✗ check .*exit code 3/u);
    expect(run.stderr).toContain("segno explain COMMAND_FAILED\n");
  });

  it("is left out with --quiet, and kept all the same", async () => {
    const run = await shop.run(["run", "build.yaml", "--quiet", "--id", "silent"]);
    expect(run.stderr).not.toContain(" │ ");
    const logs = await shop.run(["logs", "silent", "compile"]);
    expect(logs).toMatchObject({ exitCode: 0, stderr: "" });
    expect(logs.stdout.split("\n").toSorted()).toEqual(["", "careful", "compiling"]);
  });

  it("can be had as JSON, as one document or line by line", async () => {
    const { lines } = await shop.json<{ lines: readonly object[] }>("logs", "silent", "check");
    expect(lines).toMatchObject([{ step: "check", attempt: 1, stream: "stdout", text: "checking" }]);
    const jsonl = await shop.run(["logs", "silent", "check", "--jsonl"]);
    expect(JSON.parse(jsonl.stdout)).toMatchObject({ schemaVersion: 1, executionId: "silent", text: "checking" });
    expect(await shop.json("logs", "silent", "flaky")).toMatchObject({ schemaVersion: 1, id: "silent" });
  });

  it("LEASE-5 can be followed from another terminal until the execution ends", async () => {
    const running = shop.start(["run", "polite.yaml", "--id", "followed"]);
    await running.reports(/server │ ready/u);
    const following = shop.start(["logs", "followed", "--follow"]);
    const watching = shop.start(["watch", "followed"]);
    await watching.reports(/▶ server/u);
    await shop.run(["cancel", "followed"]);
    expect((await following.ended).stdout).toMatch(
      /server │ ready .*\n(?:server │ Terminated\n)?server │ cleaning up\n$/u,
    );
    expect((await watching.ended).stderr).toContain("server │ cleaning up\n");
    expect(await running.ended).toMatchObject({ exitCode: 1 });
  });
});

describe("Ctrl-C", () => {
  it("CANCEL-2 lets a command clean up", async () => {
    const running = shop.start(["run", "polite.yaml"]);
    await running.reports(/server │ ready/u);
    running.send("SIGINT");
    const run = await running.ended;
    expect(run).toMatchObject({ exitCode: 130, stdout: "" });
    expect(run.stderr).toContain("server │ cleaning up\n");
    expect(leftRunning()).toBe("");
  });

  it("CANCEL-2 twice ends what does not listen, and leaves nothing running", async () => {
    const running = shop.start(["run", "deaf.yaml", "--id", "deaf"]);
    await running.reports(/server │ ready/u);
    running.send("SIGINT");
    await running.reports(/press Ctrl-C again to force/u);
    running.send("SIGINT");
    const run = await running.ended;
    expect(run).toMatchObject({ exitCode: 130, stdout: "" });
    expect(run.stderr).toContain("forcing the execution to end\n");
    expect(leftRunning()).toBe("");
    expect(await shop.run(["work", "--until-idle"])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "deaf")).toMatchObject({ status: "cancelled" });
  });
});

describe("the process that owns the journal", () => {
  it("LEASE-1 lets the steps of others end before it does, and who waits for them goes on", async () => {
    const host = shop.start(["run", "host.yaml"]);
    await host.reports(/▶ only/u);
    const guest = shop.start(["run", "guest.yaml", "--id", "guest"]);
    await guest.reports(/▶ first/u);
    await writeFile(shop.path("host-done"), "");
    await host.reports(/1 other execution may still run steps here; waiting for them/u);
    await writeFile(shop.path("guest-done"), "");
    expect(await host.ended).toMatchObject({ exitCode: 0 });
    const run = await guest.ended;
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain("second │ second\n");
    expect(await readFile(shop.path("guest-runs"), "utf8")).toBe("once\n");
  });
});

describe("what nobody can run", () => {
  it("FAIL-9 is parked: the command says why and ends, and so does work", async () => {
    const run = await shop.run(["run", "stranded.yaml", "--id", "stranded"]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toMatch(/! parked: .*`nobody`/u);
    expect(run.stderr).toContain("next: segno work --import FILE\n      segno why stranded\n");
    const work = await shop.run(["work", "--until-idle"]);
    expect(work).toMatchObject({ exitCode: 0 });
    expect(work.stderr).toMatch(/^! stranded stranded: .*`nobody`; `segno work --import FILE` continues it$/mu);
    expect(await shop.run(["why", "stranded"])).toMatchObject({ stdout: expect.stringContaining("`nobody`") });
  });
});

describe("secrets", () => {
  it("DATA-9 come from a file, and are masked wherever they would show", async () => {
    await writeFile(shop.path("secrets.env"), "token=hunter2-canary\n", { mode: 0o600 });
    const run = await shop.run(["run", "secret.yaml", "--secrets", "secrets.env", "--jsonl", "--id", "masked"]);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain("the token is ***");
    const logs = await shop.run(["logs", "masked"]);
    expect(logs.stdout).toBe("use │ the token is ***\n");
    const shown = await shop.run(["show", "masked", "--json"]);
    expect(run.stdout + run.stderr + logs.stdout + shown.stdout).not.toContain("hunter2");
  });

  it.each([
    ["SECRET_MISSING", []],
    ["SECRET_TOO_SHORT", ["--secrets", "short.env"]],
  ])(
    "DATA-9 FAIL-9 %s is a warning at the start, and the step that needs it parks the execution",
    async (code, words) => {
      await writeFile(shop.path("short.env"), "token=abc\n", { mode: 0o600 });
      const run = await shop.run(["run", "secret.yaml", ...words]);
      expect(run).toMatchObject({ exitCode: 1, stdout: "" });
      expect(run.stderr).toMatch(new RegExp(`^warning ${code} .*started.*! parked: .*${code}`, "su"));
    },
  );

  it("SECRET_UNAVAILABLE a file that does not exist is refused before anything starts", async () => {
    const run = await shop.run(["run", "secret.yaml", "--secrets", "missing.env"]);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("SECRET_UNAVAILABLE") });
    expect(run.stderr).not.toContain("started");
  });

  it("DATA-9 a step that is skipped needs no secret: the start warns, and the execution completes", async () => {
    await writeFile(
      shop.path("optional.yaml"),
      'name: optional\nsecrets: [token]\nsteps:\n  - { id: push, run: ./push, env: { T: "${ secrets.token }" }, when: input.push }\n',
    );
    const run = await shop.run(["run", "optional.yaml", "--input", "{}"]);
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain("warning SECRET_MISSING there is no secret `token`");
    expect(await shop.run(["run", "optional.yaml", "--input", '{ "push": true }'])).toMatchObject({ exitCode: 1 });
  });

  it("CONTRACT-10 validate warns of secrets that are missing, and takes the file with them", async () => {
    await writeFile(shop.path("secrets.env"), "token=hunter2-canary\n", { mode: 0o600 });
    const bare = await shop.run(["validate", "secret.yaml"]);
    expect(bare).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("ok secret.yaml") });
    expect(bare.stderr).toMatch(/^warning SECRET_MISSING there is no secret `token` in .*\n$/u);
    const json = await shop.json<{ files: readonly object[] }>("validate", "secret.yaml");
    expect(json.files).toMatchObject([{ ok: true, warnings: [{ code: "SECRET_MISSING" }] }]);
    const given = await shop.run(["validate", "secret.yaml", "--secrets", "secrets.env"]);
    expect(given).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a module", () => {
  it("EVENT-5 shows what it logs with what others print, and the engine's own lines do not show", async () => {
    const run = await shop.run(["run", "talking.yaml"]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain('a │ warn: careful {"n":1}\n');
    expect(run.stderr).toContain('b │ warn: careful {"n":1}\n');
    expect(run.stderr).not.toContain('"level"');
  });
});
