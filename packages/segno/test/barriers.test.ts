// Barriers as people see them in a terminal: by their kind, and never as a command that runs.

import { writeFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const CONTRACT = `
name: meeting
steps:
  - { id: one, wait: { for: 10ms } }
  - { id: two, wait: { for: 20ms } }
  - { id: met, name: All are here, barrier: true, dependsOn: [one, two] }
  - { id: last, wait: { for: 10ms }, dependsOn: [met] }
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("meeting.yaml"), CONTRACT);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("a barrier", () => {
  it("BEYOND-1 stands in a plan with its kind and those that it waits for", async () => {
    const { stdout, exitCode } = await shop.run(["plan", "meeting.yaml"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Wave 2\n +● met +barrier +waits for several steps\n +“All are here” · after one, two\n/u);
  });

  it("BEYOND-1 is passed without a start, an attempt or a time of its own", async () => {
    const { stderr, exitCode } = await shop.run(["run", "meeting.yaml"]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^✓ met$/mu);
    expect(stderr).not.toMatch(/^[▶◷] met\b/mu);
    expect(stderr).toMatch(/meeting completed in \S+: 4 succeeded\n/u);
  });

  it("BEYOND-1 has no attempts in what is shown of an execution", async () => {
    const run = await shop.run(["run", "meeting.yaml", "--json"]);
    const { id } = JSON.parse(run.stdout) as { readonly id: string };
    expect((await shop.run(["show", id])).stdout).toMatch(/^✓ met +succeeded +- +-$/mu);
  });

  it("BEYOND-1 CONTRACT-3 that is false is refused where it stands", async () => {
    await writeFile(shop.path("false.yaml"), "name: f\nsteps: [{ id: met, barrier: false }]\n");
    const { stderr, stdout, exitCode } = await shop.run(["validate", "false.yaml"]);
    expect(exitCode).toBe(3);
    expect(stdout + stderr).toContain("expected `true`, found false");
  });
});
