// The output of a module in the process of the command: it belongs to the step, not to the command.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const SECRET = "correct-horse";
const environment = { API_TOKEN: SECRET };

const CONTRACT = `
name: printing
agents: { printer: { module: ./printer.mjs } }
steps: [{ id: print, agent: printer, secrets: [API_TOKEN] }]
output: \${ steps.print.output }
`;

const PRINTER = `
console.log("loaded");
  export default async function print(_, { secrets: { API_TOKEN } }) {
  console.log("the token is " + API_TOKEN);
  await new Promise((resolve) => setImmediate(resolve));
  process.stderr.write("still " + API_TOKEN + "\\n");
  return "done";
}
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  writeFileSync(shop.path("printing.yaml"), CONTRACT);
  writeFileSync(shop.path("printer.mjs"), PRINTER);
});
afterAll(() => shop[Symbol.asyncDispose]());

const LINES = ["loaded", "still ***", "the token is ***"];

async function logged(id: string): Promise<readonly string[]> {
  const { stdout } = await shop.run(["logs", id, "--jsonl"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly text: string });
  return lines.map(({ text }) => text).toSorted();
}

describe("a module that prints", () => {
  it("DATA-9 prints to the log of its step, masked, and the result stays the only thing on stdout", async () => {
    const run = await shop.run(["run", "printing.yaml", "--id", "seen"], { environment });
    expect([run.exitCode, JSON.parse(run.stdout)], run.stderr).toEqual([0, "done"]);
    expect(run.stderr).toContain("print │ the token is ***");
    expect(run.stdout + run.stderr).not.toContain(SECRET);
    expect(await logged("seen")).toEqual(LINES);
  });

  it.each(["--json", "--jsonl"])("DATA-9 does not break %s", async (format) => {
    const run = await shop.run(["run", "printing.yaml", format], { environment });
    const lines = format === "--json" ? [run.stdout] : run.stdout.trimEnd().split("\n");
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
    expect(run.stdout + run.stderr).not.toContain(SECRET);
  });

  it("DATA-9 shows no secret in the file of a process in the background", async () => {
    await shop.run(["run", "printing.yaml", "--detach", "--id", "behind"], { environment });
    await shop.run(["watch", "behind"]);
    expect(await logged("behind")).toEqual(LINES);
    expect(readFileSync(shop.path(".segno/work.log"), "utf8")).not.toContain(SECRET);
  });
});
