// Errors that nothing caught, from modules that run in the process of the command.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

const SECRET = "correct-horse-battery";
const environment = { API_TOKEN: SECRET };

const CONTRACT = `
name: leaving
agents: { leaver: { module: ./leaver.mjs } }
steps:
  - { id: leave, agent: leaver, secrets: [API_TOKEN], input: { mode: "\${ input.mode }" }, retry: 1, onError: continue }
  - { id: after, wait: { for: 100ms }, dependsOn: [{ step: leave, on: settled }] }
output: { status: "\${ steps.leave.status }", error: "\${ steps.leave.error }" }
`;

const LEAVER = `
const never = () => new Promise((resolve) => setTimeout(resolve, 2 ** 30));
  export default async function leave({ mode }, { secrets: { API_TOKEN: token } }) {
  const body = "y".repeat(9990) + token;
  const error = () => Object.assign(new Error("mine: " + token, { cause: new Error("because of " + token) }), { body });
  if (mode.includes("reject")) void Promise.reject(error());
  else if (mode.includes("object")) void Promise.reject({ token });
  else if (mode.includes("outside")) globalThis.leftOutside = error();
  else setTimeout(() => { throw error(); }, 10);
  if (mode.includes("wait")) await never();
  return "done";
}
`;

interface Result {
  readonly output: { readonly status: string; readonly error: { readonly message: string } | null };
}

/** Loaded before the command, so that its timer belongs to no step. */
const OUTSIDE = `
setInterval(() => { if (globalThis.leftOutside !== undefined) throw globalThis.leftOutside; }, 10).unref();
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  writeFileSync(shop.path("leaving.yaml"), CONTRACT);
  writeFileSync(shop.path("leaver.mjs"), LEAVER);
  writeFileSync(shop.path("outside.mjs"), OUTSIDE);
});
afterAll(() => shop[Symbol.asyncDispose]());

function words(id: string, mode: string): readonly string[] {
  return ["run", "leaving.yaml", "--id", id, "--input", JSON.stringify({ mode })];
}

async function kept(id: string): Promise<string> {
  const shown = await Promise.all([shop.run(["logs", id]), shop.run(["show", id, "--json"])]);
  return shown.map(({ stdout, stderr }) => stdout + stderr).join("");
}

describe("a module that leaves an error behind that nothing catches", () => {
  it.each(["reject", "throw"])(
    "DATA-9 %s after its end is masked in the log and on stderr, and harms nothing",
    async (mode) => {
      const run = await shop.run([...words(mode, mode), "--json"], { environment });
      expect(run.exitCode, run.stderr).toBe(0);
      expect((JSON.parse(run.stdout) as Result).output).toMatchObject({ status: "succeeded" });
      expect(run.stderr).toContain("mine: ***");
      const log = await kept(mode);
      expect(log).toContain("Uncaught after the attempt had ended: Error: mine: ***");
      expect(log).toContain("because of ***");
      expect(log).toContain("yyyy***");
      expect(run.stdout + run.stderr + log).not.toContain(SECRET.slice(0, 8));
    },
  );

  it.each(["reject and wait", "throw and wait"])(
    "DATA-9 %s fails the attempt that still runs, masked",
    async (mode) => {
      const id = mode.replaceAll(" ", "-");
      const run = await shop.run([...words(id, mode), "--json"], { environment });
      expect(run.exitCode, run.stderr).toBe(0);
      expect((JSON.parse(run.stdout) as Result).output).toMatchObject({
        status: "failed",
        error: { message: "mine: ***" },
      });
      expect(run.stdout + run.stderr + (await kept(id))).not.toContain(SECRET);
    },
  );

  it("DATA-9 is masked where it rejects with something that is not an error", async () => {
    const run = await shop.run([...words("object", "object"), "--jsonl"], { environment });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout + run.stderr + (await kept("object"))).not.toContain(SECRET);
  });

  it("DATA-9 does not end the process in the background, which goes on with the others", async () => {
    const modes = ["reject", "throw", "throw and wait"];
    for (const [each, mode] of modes.entries())
      await shop.run([...words(`behind-${each}`, mode), "--detach"], { environment });
    for (const each of modes.keys()) await shop.run(["watch", `behind-${each}`]);
    const { executions } = await shop.json<Listing>("list");
    const behind = executions.filter(({ id }) => id.startsWith("behind-"));
    expect(behind.map(({ status }) => status)).toEqual(modes.map(() => "completed"));
    expect(readFileSync(shop.path(".segno/work.log"), "utf8")).not.toContain(SECRET);
  });

  it("DATA-9 is masked where the error belongs to no step, and ends the command", async () => {
    const run = await shop.run(words("outside", "outside and wait"), {
      environment: { ...environment, SEGNO_DEBUG: "1", NODE_OPTIONS: `--import=${shop.path("outside.mjs")}` },
    });
    expect([run.exitCode, run.stdout], run.stderr).toEqual([70, ""]);
    expect(run.stderr).toContain("segno: an uncaught error: Error: mine: ***");
    expect(run.stderr).not.toContain(SECRET);
  });
});
