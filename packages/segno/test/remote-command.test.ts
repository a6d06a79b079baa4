// The command against a server: the same output and the same exit codes as on the journal itself.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ServeFixture } from "./serve-fixture.ts";
import type { SegnoRun } from "./run-segno.ts";

const BUILD = `
name: build
input: { type: object }
steps:
  - { id: make, run: "echo building; mkdir -p dist; printf app > dist/app.tgz", artifacts: [dist] }
  - id: items
    map: { over: input.names, label: "item \${ item }", steps: [{ id: pack, exec: [echo, "packing \${ item }"] }] }
    dependsOn: [make]
  - { id: call, workflow: kid, dependsOn: [items] }
output: { kid: "\${ steps.call.output }", big: "\${ input.big }" }
`;
const KID = `
name: kid
steps: [{ id: say, exec: [echo, hello], output: { select: stdout } }]
output: \${ steps.say.output }
`;
const BROKEN = `
name: broken
steps:
  - { id: ok, run: "echo fine" }
  - { id: bad, run: "echo oops >&2; exit 3", dependsOn: [ok] }
  - { id: never, run: "true", dependsOn: [bad] }
`;
const ASKS = `
name: asks
steps:
  - { id: ask, approve: { message: "Ship it?" } }
  - { id: named, approve: { message: "And this?", by: [ann] } }
  - { id: go, wait: { signal: go }, dependsOn: [ask] }
output: \${ steps.go.output }
`;

let fixture: ServeFixture;
beforeAll(async () => {
  fixture = await ServeFixture.open({
    contracts: [ASKS],
    before: async (shop) => {
      for (const [name, text] of Object.entries({ build: BUILD, kid: KID, broken: BROKEN }))
        await writeFile(shop.path(`${name}.yaml`), text);
      const input = JSON.stringify({ names: ["a", "b"], big: "x".repeat(100_000) });
      const built = await shop.run(["run", "build.yaml", "--id", "built", "--input", input, "--label", "team=web"]);
      expect(built, built.stderr).toMatchObject({ exitCode: 0 });
      const broken = await shop.run(["run", "broken.yaml", "--id", "broken"]);
      expect(broken, broken.stderr).toMatchObject({ exitCode: 1 });
    },
  });
  await fixture.engine.start("asks", null, { id: "waiting" });
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Running times differ from one moment to the next. */
const steady = ({ stdout, stderr, exitCode }: SegnoRun): object => ({
  exitCode,
  stdout: withoutTimes(stdout),
  stderr: withoutTimes(stderr),
});
const withoutTimes = (text: string): string => text.replaceAll(/\b\d+(?:\.\d+)?(?:ms|s|m)\b/gu, "TIME");

const SAME = [
  "list",
  "list --json",
  "list --status failed --label team=web",
  "list --workflow build --limit 1 --json",
  "show built",
  "show built --json",
  "show built items/0/pack",
  "show built items --json",
  "show built call/say",
  "show built --output items",
  "show broken",
  "show broken bad",
  "show broken bad --json",
  "show broken --failed",
  "show broken --output never",
  "show waiting",
  "show waiting ask",
  "show @last --json",
  "show bu",
  "logs built",
  "logs built items",
  "logs built make --json",
  "logs built --jsonl",
  "logs broken --follow",
  "why waiting",
  "why waiting go --json",
  "why built",
  "artifact built",
  "artifact built make --json",
  "watch built",
  "watch built --json",
  "watch broken --jsonl",
  "retry built",
  "pause built",
  "resume waiting",
  "signal built go",
];

describe("HTTP-5 a command with SEGNO_URL", () => {
  it.each(SAME)("prints for `%s` what it prints for the journal, with the same exit code", async (line) => {
    const words = line.split(" ");
    const [local, remote] = await Promise.all([fixture.local(words), fixture.remote(words)]);
    expect(steady(remote)).toEqual(steady(local));
  });

  it.each([
    ["show none", 5],
    ["show built nobody", 5],
    ["show built --output nobody", 5],
    ["artifact built make dist/none --to x", 5],
    ["logs built nobody", 5],
    ["cancel built", 6],
    ["approve built make", 6],
  ])("refuses `%s` as for the journal, with %i", async (line, exitCode) => {
    const words = [...line.split(" "), ...(line.startsWith("approve") ? ["--json"] : [])];
    const [local, remote] = await Promise.all([fixture.local(words), fixture.remote(words)]);
    expect([local.exitCode, remote.exitCode]).toEqual([exitCode, exitCode]);
    if (!line.startsWith("approve")) expect(steady(remote)).toEqual(steady(local));
  });

  it("copies an artifact, and leaves nothing of one that is not there", async () => {
    const copied = await fixture.remote(["artifact", "built", "make", "dist/app.tgz", "--to", "fetched.tgz"]);
    expect(copied, copied.stderr).toMatchObject({ exitCode: 0, stdout: "fetched.tgz\n" });
    expect(await readFile(fixture.shop.path("elsewhere/fetched.tgz"), "utf8")).toBe("app");
    const words = ["artifact", "built", "make", "dist/none", "--to", "none.tgz"];
    expect(await fixture.remote(words)).toMatchObject({ exitCode: 5 });
    expect(existsSync(fixture.shop.path("elsewhere/none.tgz"))).toBe(false);
  });
});

describe("HTTP-5 a command that controls an execution of a server", () => {
  it("pauses, resumes, cancels and retries it, and reports like a command whose journal another process owns", async () => {
    const pair = async (verb: string, ...words: readonly string[]): Promise<readonly object[]> => {
      const ids = [`${verb}-here`, `${verb}-there`];
      for (const id of ids) await fixture.engine.start("asks", null, { id });
      if (verb === "resume") for (const id of ids) await (await fixture.engine.get(id)).pause();
      const [local, remote] = [
        await fixture.local([verb, ids[0]!, ...words]),
        await fixture.remote([verb, ids[1]!, ...words]),
      ];
      return [local, remote].map((run, place) => ({
        ...run,
        stdout: run.stdout.replaceAll(ids[place]!, "ID"),
        stderr: run.stderr.replaceAll(ids[place]!, "ID"),
      }));
    };
    for (const words of [["pause"], ["resume"], ["cancel", "--reason", "enough", "--json"], ["signal", "go"]]) {
      const [local, remote] = await pair(...(words as [string, ...string[]]));
      expect(remote).toEqual(local);
      expect(remote).toMatchObject({ exitCode: 0 });
    }
    expect((await (await fixture.engine.get("cancel-there")).status()).reason).toBe("enough");
    const retried = await fixture.remote(["retry", "broken", "--json"]);
    expect(retried, retried.stderr).toMatchObject({ exitCode: 0 });
    await expect.poll(async () => (await (await fixture.engine.get("broken")).status()).round).toBe(2);
  });

  it("BEYOND-2 votes in the name of the token", async () => {
    await fixture.engine.start("asks", null, { id: "voting" });
    const environment = { SEGNO_TOKEN: await fixture.newToken("ann", "read", "approve") };
    const named = await fixture.remote(["approve", "voting", "named", "--comment", "fine"], { environment });
    expect(named, named.stderr).toMatchObject({
      exitCode: 0,
      stdout: "voting: ann approved named, which is approved\n",
    });
    const root = await fixture.remote(["approve", "voting", "ask", "--json"]);
    expect(JSON.parse(root.stdout)).toMatchObject({ by: "root", verdict: "approve", result: "done" });
    const again = await fixture.remote(["reject", "voting", "ask"]);
    expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("does not wait for approval") });
  });

  it("follows with `watch` until the end, which came over the server", async () => {
    await fixture.engine.start("asks", null, { id: "watched" });
    const place = { SEGNO_URL: fixture.server.url, SEGNO_TOKEN: fixture.token };
    const watching = fixture.shop.start(["watch", "watched", "--json"], { environment: place });
    for (const step of ["ask", "named"])
      await fixture.engine.get("watched").then((handle) => handle.approve(step, { by: "ann" }));
    await fixture.remote(["signal", "watched", "go", "--payload", '{"n":1}']);
    const ended = await watching.ended;
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ id: "watched", status: "completed", output: { n: 1 } });
  });
});

describe("HTTP-7 a command with --url", () => {
  const url = (): string => fixture.server.url;

  it("exits with 4 without a token, with a wrong one, and with one that lacks the scope", async () => {
    const read = await fixture.newToken("reader", "read");
    for (const [token, words, code] of [
      ["", ["list"], "TOKEN_MISSING"],
      ["wrong", ["list"], "TOKEN_MISSING"],
      [read, ["cancel", "waiting"], "SCOPE_MISSING"],
    ] as const) {
      const run = await fixture.remote(words, { environment: { SEGNO_TOKEN: token } });
      expect(run).toMatchObject({ exitCode: 4, stdout: "", stderr: expect.stringContaining(code) });
    }
    expect((await (await fixture.engine.get("waiting")).status()).status).toBe("running");
  });

  it("names the server in its hints, and outweighs SEGNO_URL; so does --db", async () => {
    const environment = { SEGNO_URL: "http://127.0.0.1:1", SEGNO_TOKEN: fixture.token };
    const shown = await fixture.local(["show", "broken", "--url", url()], { environment });
    expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`--url ${url()}`) });
    expect(await fixture.local(["list", "--db", ".segno/segno.db"], { environment })).toMatchObject({ exitCode: 0 });
    expect(await fixture.local(["list"], { environment })).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining("SERVER_UNREACHABLE"),
    });
  });

  it.each([
    [["list", "--db", "x.db"], "cannot be used with option"],
    [["approve", "waiting", "ask", "--by", "ann"], "--by cannot be used with a server"],
    [["retry", "broken", "--slots", "2", "--quiet"], "--slots and --quiet cannot be used with a server"],
  ])("refuses %j", async (words, text) => {
    const run = await fixture.local([...words, "--url", url()], { environment: { SEGNO_TOKEN: fixture.token } });
    expect(run).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(text) });
  });

  it.each(["ftp://127.0.0.1", "127.0.0.1:7350", "http://me:secret@127.0.0.1", "http://127.0.0.1/?a=1"])(
    "refuses the address %j and does not repeat it",
    async (address) => {
      const run = await fixture.local(["list", "--url", address]);
      expect(run).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("SERVER_ADDRESS_INVALID") });
      expect(run.stderr).not.toContain("secret");
    },
  );
});
