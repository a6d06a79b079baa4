// Contracts that call others, as `segno run` finds them.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandFixture } from "./command-fixture.ts";

let shop: CommandFixture;
beforeAll(async () => void (shop = await CommandFixture.open()));
afterAll(() => shop[Symbol.asyncDispose]());

const STEP = "{ id: say, exec: [echo, hello], output: { select: stdout } }";

async function files(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(dirname(shop.path(name)), { recursive: true });
    await writeFile(shop.path(name), text);
  }
}

function calling(reference: string, name = "caller"): string {
  return `name: ${name}\nsteps: [{ id: call, workflow: ${reference} }]\noutput: \${ steps.call.output }\n`;
}

function called(name: string, version?: string): string {
  const said = version === undefined ? "" : `version: "${version}"\n`;
  return `name: ${name}\n${said}steps: [${STEP}]\noutput: ${name}${version ?? ""}\n`;
}

describe("a contract that calls another", () => {
  it("CONTRACT-8 finds it beside itself, by its name and by its version", async () => {
    await files({
      "beside/caller.yaml": calling("kid"),
      "beside/kid.yml": called("kid"),
      "beside/versions.yaml": calling("kit@2"),
      "beside/kit.yaml": called("kit", "1"),
      "beside/kit@2.json": JSON.stringify({ name: "kit", version: "2", steps: [], output: "kit2" }),
    });
    expect(await shop.run(["run", "beside/caller.yaml"])).toMatchObject({ exitCode: 0, stdout: '"kid"\n' });
    expect(await shop.run(["run", "beside/versions.yaml"])).toMatchObject({ exitCode: 0, stdout: '"kit2"\n' });
  });

  it("CONTRACT-8 finds those that the called one calls beside that one", async () => {
    await files({
      "outer/caller.yaml": calling("middle"),
      "inner/middle.yaml": calling("leaf", "middle"),
      "inner/leaf.yaml": called("leaf"),
    });
    const words = ["run", "outer/caller.yaml", "--with", "inner/middle.yaml"];
    expect(await shop.run(words)).toMatchObject({ exitCode: 0, stdout: '"leaf"\n' });
  });

  it("WORKFLOW_UNKNOWN says what is missing before anything starts", async () => {
    await files({ "alone/caller.yaml": calling("nobody@3"), "alone/nobody.yaml": called("nobody", "2") });
    const run = await shop.run(["run", "alone/caller.yaml", "--id", "never-begun"]);
    expect([run.exitCode, run.stdout]).toEqual([3, ""]);
    expect(run.stderr).toContain("WORKFLOW_UNKNOWN `caller` calls `nobody@3`");
    expect((await shop.run(["show", "never-begun"])).exitCode).not.toBe(0);
  });

  it("CONTRACT-3 shows the problems of a called contract in their place", async () => {
    await files({ "broken/caller.yaml": calling("kid"), "broken/kid.yaml": "name: kid\nsteps: [{ id: a, rum: x }]\n" });
    const run = await shop.run(["run", "broken/caller.yaml"]);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toMatch(/broken\/kid\.yaml:2:/u);
  });

  it("WORKFLOW_CYCLE refuses contracts that call each other", async () => {
    await files({ "circle/ping.yaml": calling("pong", "ping"), "circle/pong.yaml": calling("ping", "pong") });
    const run = await shop.run(["run", "circle/ping.yaml"]);
    expect([run.exitCode, run.stderr]).toEqual([3, expect.stringContaining("WORKFLOW_CYCLE")]);
  });

  it("CONTRACT-8 JOURNAL-3 goes on in another process that was told of none of them", async () => {
    await files({
      "later/caller.yaml":
        "name: caller\nsteps: [{ id: nap, wait: { for: 1s } }, { id: call, workflow: kid, dependsOn: [nap] }]\noutput: ${ steps.call.output }\n",
      "later/kid.yaml": called("kid"),
    });
    const running = shop.start(["run", "later/caller.yaml", "--id", "later-1"]);
    await running.reports(/nap/u);
    running.send("SIGKILL");
    await running.ended;
    expect((await shop.run(["work", "--until-idle"])).exitCode).toBe(0);
    const shown = JSON.parse((await shop.run(["show", "later-1", "--json"])).stdout) as { readonly output: unknown };
    expect(shown.output).toBe("kid");
  });
});
