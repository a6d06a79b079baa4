// `segno show --output`: what a step gave, whole.

import { writeFile } from "node:fs/promises";
import { Engine } from "@segno/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const LARGE = `
name: large
steps:
  - { id: big, run: "head -c 100000 /dev/zero | tr '\\\\0' x" }
  - id: each
    map:
      over: "[\`1\`, \`2\`]"
      steps: [{ id: say, exec: [echo, "item \${ item }"] }]
  - { id: off, run: "true", when: "\`false\`" }
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("large.yaml"), LARGE);
  const run = await shop.run(["run", "large.yaml", "--id", "large"]);
  expect(run, run.stderr).toMatchObject({ exitCode: 0 });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("the output of a step", () => {
  it("is printed whole, and as a document with --json", async () => {
    const shown = await shop.run(["show", "large", "--output", "big"]);
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(shown.stdout)).toMatchObject({ stdout: "x".repeat(100_000) });
    const document = await shop.json<object>("show", "large", "--output", "each/1");
    expect(document).toMatchObject({ schemaVersion: 1, id: "large", step: "each/1", output: { stdout: "item 2" } });
  });

  it("is 6 where there is none, and 5 where there is no such step", async () => {
    const none = await shop.run(["show", "large", "--output", "off"]);
    expect(none).toMatchObject({ exitCode: 6, stderr: "segno: `off` has no output: it is skipped\n" });
    const unknown = await shop.run(["show", "large", "--output", "bog"]);
    expect(unknown).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("did you mean `big`?") });
  });

  it("DATA-11 PAYLOAD_REMOVED says that it was removed", async () => {
    {
      await using engine = await Engine.open({ file: shop.path(".segno/segno.db") });
      await engine.removePayloads("large");
    }
    const removed = await shop.run(["show", "large", "--output", "big"]);
    expect(removed).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("PAYLOAD_REMOVED") });
  });
});
