// Invalid work is refused before the start if possible, and otherwise fails with a readable outcome.

import type { Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { serve } from "../http/local-server.ts";
import { contract, useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();

async function runToFailure(
  yaml: string,
  options: EngineOptions = {},
): Promise<Failure & { readonly attempts: number }> {
  const handle = await fixture.current.start(yaml, options);
  const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
  return { ...(error as { readonly failure: Failure }).failure, attempts: (await findStep(handle, "a")).attempts };
}

describe("before the start", () => {
  const CLAIM =
    "name: f\nresources: { memory: 8 }\nsteps:\n  - { id: a, run: 'echo > ran', resources: { memory: 4 } }\n";

  it("SCHED-4 RESOURCE_TOO_LARGE refuses a claim above the engine's bound", async () => {
    const engine = await fixture.current.open({ resources: { memory: { kind: "capacity", capacity: 2 } } });
    await expect(engine.start(contract(CLAIM))).rejects.toMatchObject({
      code: "RESOURCE_TOO_LARGE",
      message: "the step `a` requires 4 of `memory`, but the limit is 2: it would wait forever",
    });
    expect((await engine.list()).executions).toEqual([]);
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("SCHED-4 RESOURCE_TOO_LARGE applies to a quota, and to steps inside a map", async () => {
    const engine = await fixture.current.open({
      resources: { memory: { kind: "quota", rate: 3, per: 1000 as never } },
    });
    const inner = CLAIM.replace("- { id: a", "- { id: each, map: { over: '[`1`]', steps: [{ id: a").replace(
      "4 } }",
      "4 } }] } }",
    );
    for (const yaml of [CLAIM, inner])
      await expect(engine.start(contract(yaml))).rejects.toMatchObject({ code: "RESOURCE_TOO_LARGE" });
  });

  it("SCHED-4 a claim above the workflow's bound runs if the engine declares more", async () => {
    const engine = await fixture.current.open({ resources: { memory: { kind: "capacity", capacity: 16 } } });
    await (await engine.start(contract(CLAIM.replace("memory: 4", "memory: 8")))).result();
    expect(fixture.current.has("ran")).toBe(true);
  });
});

describe("a module that cannot be used", () => {
  const using = (module: string, thread: boolean, exported = "default"): string =>
    `name: f\nagents: { it: { module: "${module}", export: ${exported}, thread: ${thread} } }\nsteps: [{ id: a, agent: it, retry: { attempts: 3, base: 1ms } }]\n`;

  it.each([
    ["here", false],
    ["on a thread", true],
  ])(
    "AGENT_MODULE_INVALID fails the step for good, %s: one that is broken, or exports something else",
    async (_, thread) => {
      fixture.current.write("broken.mjs", "export default (\n");
      fixture.current.write("other.mjs", "export const works = () => 1;\nexport default 42;\n");
      // The test runner does not load modules like Node.js, and its errors differ.
      if (thread)
        expect(await runToFailure(using("./broken.mjs", thread))).toMatchObject({
          code: "AGENT_MODULE_INVALID",
          attempts: 1,
        });
      await fixture.current.closeEngines();
      expect(await runToFailure(using("./other.mjs", thread, "work"))).toMatchObject({
        code: "AGENT_MODULE_INVALID",
        message: expect.stringContaining("did you mean `works`?"),
      });
      await fixture.current.closeEngines();
      expect(await runToFailure(using("./other.mjs", thread))).toMatchObject({
        code: "AGENT_MODULE_INVALID",
        attempts: 1,
      });
    },
  );
});

describe("a secret that cannot be resolved", () => {
  const ASKING =
    "name: f\nsteps:\n  - { id: a, run: 'echo > ran', env: { T: '${ secrets.deploy-token }' }, retry: { attempts: 3, base: 1ms } }\n";

  it("DATA-9 SECRET_UNAVAILABLE is retried if the source fails", async () => {
    let asked = 0;
    const flaky = (): string => {
      if (++asked <= 2) throw new Error("the vault is sealed");
      return "long-enough-by-far";
    };
    const handle = await fixture.current.start(ASKING, { secrets: flaky });
    await handle.result();
    expect((await findStep(handle, "a")).attempts).toBeGreaterThan(1);
  });
});

describe("invalid commands and requests", () => {
  it.each([
    ["a program that is not there", 'exec: ["./nothing-here"]', "COMMAND_NOT_FOUND"],
    ["a file that may not be executed", "exec: [./plain.txt]", "COMMAND_NOT_EXECUTABLE"],
    ["an argument that is no text", 'exec: [echo, "${ input }"]', "COMMAND_INVALID"],
  ])("STATE-10 %s", async (_, action, code) => {
    fixture.current.write("plain.txt", "text");
    const failure = await runToFailure(`name: f\nsteps:\n  - { id: a, ${action} }\n`, {});
    expect(failure).toMatchObject({ class: "permanent", code, attempts: 1 });
  });

  it("FAIL-3 a status 503 is retried when the server says, with the same idempotency key", async () => {
    let asked = 0;
    await using server = await serve((_, response) => {
      response.writeHead(
        ++asked === 1 ? 503 : 200,
        asked === 1 ? { "retry-after": "0" } : { "content-type": "application/json" },
      );
      response.end('{"ok":true}');
    });
    const yaml = `name: f\nsteps:\n  - { id: a, http: { method: POST, url: "${server.url}/x" }, retry: { attempts: 2, base: 1h, max: 1h } }\noutput: \${ steps.a.output.body }\n`;
    const handle = await fixture.current.start(yaml, { http: { allowPrivate: true } });
    expect(await handle.result()).toEqual({ ok: true });
    const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/u);
  });
});
