// A process without what the one before it had: nothing fails for it, and what is printed to be typed has the same flags.

import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunningSegno } from "./run-segno.ts";
import { CommandFixture } from "./command-fixture.ts";

const LATE_SECRET = `
name: late
onFailure: compensate
steps:
  - { id: first, run: "true", compensate: { run: touch undone } }
  - { id: gate, wait: { signal: go }, dependsOn: [first] }
  - { id: use, run: "true", env: { T: "\${ secrets.token }" }, dependsOn: [gate] }
`;
const SECRETS = ["--secrets", "tokens.env"];
const TOKEN = "correct-horse-battery";

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("late.yaml"), LATE_SECRET);
  await writeFile(shop.path("tokens.env"), `token=${TOKEN}\n`, { mode: 0o600 });
});
afterAll(() => shop[Symbol.asyncDispose]());

async function waiting(words: readonly string[]): Promise<RunningSegno> {
  const running = shop.start(["run", "late.yaml", ...words]);
  await running.reports(/gate waits/u);
  return running;
}

describe("after a crash", () => {
  it("FAIL-9 a worker without the secrets parks what needs them, and one that has them goes on", async () => {
    const running = await waiting(["--id", "crashed", ...SECRETS, "--slots", "3"]);
    running.send("SIGKILL");
    const { stderr } = await running.ended;
    expect(stderr).toContain("if this is interrupted: segno work --slots 3 --secrets tokens.env\n");
    expect(stderr).not.toContain(TOKEN);
    await shop.run(["signal", "crashed", "go"]);
    const bare = await shop.run(["work", "--until-idle"]);
    expect(bare).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("SECRET_MISSING") });
    expect(await shop.json("show", "crashed")).toMatchObject({ status: "parked" });
    expect((await shop.run(["show", "crashed"])).stdout).toContain("next: segno work --secrets FILE\n");
    expect(await shop.run(["work", "--until-idle", ...SECRETS])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "crashed")).toMatchObject({ status: "completed" });
  });

  it("FAIL-9 a run that is not allowed what it needs is parked, and `work` with the flag goes on", async () => {
    await writeFile(
      shop.path("inside.yaml"),
      "name: inside\nsteps: [{ id: ask, http: 'http://127.0.0.1:9/', retry: 1 }]\n",
    );
    const run = await shop.run(["run", "inside.yaml", "--id", "inside"]);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("HTTP_ADDRESS_REFUSED") });
    expect(run.stderr).toContain("next: segno work --allow-private-network\n");
    expect(await shop.json("show", "inside")).toMatchObject({ status: "parked" });
    const work = await shop.run(["work", "--until-idle", "--allow-private-network"]);
    // Before it goes on, it may say that it was parked.
    expect(work.stderr.split("inside resumed").at(-1)).not.toContain("HTTP_ADDRESS_REFUSED)");
    expect(await shop.json("show", "inside")).toMatchObject({ status: "failed", failure: { code: "HTTP_FAILED" } });
  });
});

describe("where another process owns the journal", () => {
  it("JOURNAL_OWNED refuses flags that its owner was not started with, and takes those that it was", async () => {
    const owner = await waiting(["--id", "owner", ...SECRETS]);
    await writeFile(shop.path("other.env"), `token=${TOKEN}\n`, { mode: 0o600 });
    for (const words of [["--allow-private-network"], ["--slots", "2"], ["--secrets", "other.env"]]) {
      const run = await shop.run(["run", "quick.yaml", ...words]);
      expect(run).toMatchObject({ exitCode: 6, stdout: "" });
      expect(run.stderr).toContain(`JOURNAL_OWNED another process owns .segno/segno.db`);
      expect(run.stderr).toContain(`without this ${words[0]}`);
    }
    expect(await shop.run(["run", "quick.yaml", "--detach", "--slots", "2"])).toMatchObject({ exitCode: 6 });
    expect(await shop.run(["run", "quick.yaml", ...SECRETS])).toMatchObject({ exitCode: 0 });
    owner.send("SIGTERM");
    await owner.ended;
  });

  it("JOURNAL_OWNED refuses another folder than that of the owner", async () => {
    const owner = await waiting(["--id", "elsewhere", ...SECRETS]);
    await mkdir(shop.path("other"));
    const words = ["run", "../quick.yaml", "--db", "../.segno/segno.db"];
    const run = await shop.run(words, { folder: shop.path("other") });
    expect(run).toMatchObject({ exitCode: 6, stderr: expect.stringContaining(", not in this folder; ") });
    owner.send("SIGTERM");
    await owner.ended;
    expect(await shop.run(words, { folder: shop.path("other") })).toMatchObject({ exitCode: 0 });
  });

  it("FAIL-9 the secrets of the owner count: a run without them is followed", async () => {
    const owner = await waiting(["--id", "holder", ...SECRETS]);
    const guest = shop.start(["run", "late.yaml", "--id", "guest"]);
    await guest.reports(/gate waits/u);
    await shop.run(["signal", "guest", "go"]);
    expect(await guest.ended).toMatchObject({ exitCode: 0 });
    owner.send("SIGTERM");
    await owner.ended;
  });
});
