// A step waits for a process that has what it needs, and does not fail meanwhile.

import { describe, expect, it } from "vitest";
import type { EngineOptions, ExecutionHandle } from "../../src/index.ts";
import { serve } from "../http/local-server.ts";
import { contract, ending, useFixture, findStep, pollUntil } from "./fixture.ts";

const fixture = useFixture();
const HAS_TOKEN: EngineOptions = { secrets: () => "correct-horse-battery" };
const ALLOWED: EngineOptions = { http: { allowPrivate: true } };

/** Resolves with the reason when the execution is parked. */
async function untilParked(handle: ExecutionHandle): Promise<string> {
  await pollUntil(async () => (await handle.status()).status === "parked", "it is parked");
  return (await handle.status()).reason ?? "";
}

/** Opens the journal in another process's place. */
async function openNext(handle: ExecutionHandle, options: EngineOptions): Promise<ExecutionHandle> {
  await fixture.current.closeEngines();
  return (await fixture.current.open(options)).get(handle.id);
}

const TOKEN = "env: { T: '${ secrets.deploy-token }' }";
const ASKING = `name: f\nsteps: [{ id: a, run: 'echo > ran', ${TOKEN} }]\n`;

describe("a secret that the process does not have", () => {
  it("FAIL-9 DATA-9 SECRET_MISSING parks the execution, and names the secret and its source", async () => {
    const handle = await fixture.current.start(ASKING);
    expect(await untilParked(handle)).toBe(
      "this process cannot run `a`: there is no secret `deploy-token` in `SEGNO_SECRET_DEPLOY_TOKEN` and `deploy-token` of the environment (SECRET_MISSING)",
    );
    expect((await handle.status()).cause).toBe("no-secret");
    expect(await findStep(handle, "a")).toMatchObject({ attempts: 0 });
    expect(fixture.current.has("ran")).toBe(false);
  });

  it("FAIL-9 DATA-9 SECRET_TOO_SHORT parks it as well, and reveals neither value nor length", async () => {
    const reason = await untilParked(await fixture.current.start(ASKING, { secrets: () => "kurz5" }));
    expect(reason).toContain("(SECRET_TOO_SHORT)");
    expect(reason).not.toContain("kurz5");
    expect(fixture.current.has("ran")).toBe(false);
  });

  it.each([
    ["does not answer", () => Promise.reject(new Error("the vault is sealed")), "the vault is sealed"],
    ["gives no text", (() => 42) as never, "text"],
  ])(
    "FAIL-9 DATA-9 SECRET_UNAVAILABLE parks it when the attempts are used up and the source %s",
    async (_, secrets, why) => {
      const handle = await fixture.current.start(ASKING.replace(" }]", ", retry: { attempts: 2, base: 1ms } }]"), {
        secrets,
      });
      const reason = await untilParked(handle);
      expect([reason.includes(why), reason.endsWith("(SECRET_UNAVAILABLE)")]).toEqual([true, true]);
      expect(await findStep(handle, "a")).toMatchObject({ attempts: 1 });
    },
  );

  it("FAIL-9 lets running steps end and starts no new ones", async () => {
    const handle = await fixture.current.start(
      `name: f\nsteps:\n  - { id: a, run: 'true', ${TOKEN} }\n  - { id: b, run: 'echo > ran' }\n`,
    );
    await untilParked(handle);
    await pollUntil(async () => (await findStep(handle, "b")).status === "succeeded", "`b` has ended");
    expect(await handle.status()).toMatchObject({ status: "parked" });
  });

  it("FAIL-9 lets the next process continue by itself if it has it, with attempt number 1", async () => {
    const first = await fixture.current.start(ASKING);
    await untilParked(first);
    const handle = await openNext(first, HAS_TOKEN);
    await handle.result();
    expect(await findStep(handle, "a")).toMatchObject({ status: "succeeded", attempts: 1 });
  });

  it("FAIL-9 stays parked in the next process if that lacks it too", async () => {
    const first = await fixture.current.start(ASKING);
    await untilParked(first);
    const { seq } = await first.status();
    let asked = 0;
    await openNext(first, { secrets: () => void asked++ });
    await pollUntil(() => asked > 0, "the secret was asked for");
    const handle = await openNext(first, { mode: "readOnly" });
    expect(await handle.status()).toMatchObject({ status: "parked", seq });
  });
});

describe("an execution that is parked for a secret", () => {
  it("FAIL-9 can be resumed once the secret exists, and is parked again while it does not", async () => {
    const known: { token?: string } = {};
    const handle = await fixture.current.start(ASKING, { secrets: () => known.token });
    await untilParked(handle);
    const { seq } = await handle.status();
    await handle.resume();
    await pollUntil(async () => (await handle.status()).seq > seq + 1, "it was tried");
    await untilParked(handle);
    known.token = "correct-horse-battery";
    await handle.resume();
    expect(await ending(handle)).toBe("completed");
    expect(await findStep(handle, "a")).toMatchObject({ attempts: 1 });
  });

  it("CANCEL-7 stays paused if it was paused, even when the secret exists", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handle = await fixture.current.start(ASKING, { secrets: () => promise.then(() => undefined) });
    await pollUntil(async () => (await findStep(handle, "a")).status === "running", "it runs");
    await handle.pause();
    resolve();
    await pollUntil(async () => (await findStep(handle, "a")).status !== "running", "it was given up");
    expect(await handle.status()).toMatchObject({ status: "paused" });
  });

  it("CANCEL-2 can be cancelled", async () => {
    const handle = await fixture.current.start(ASKING);
    await untilParked(handle);
    await handle.cancel();
    expect(await ending(handle)).toBe("cancelled");
  });
});

describe("a secret missing in", () => {
  it.each([
    [
      "an item of a map",
      `name: f\nsteps: [{ id: m, map: { over: '[\`1\`]', steps: [{ id: a, run: 'true', ${TOKEN} }] } }]\n`,
    ],
    ["a fallback", `name: f\nsteps:\n  - { id: a, run: 'false', fallback: b }\n  - { id: b, run: 'true', ${TOKEN} }\n`],
  ])("FAIL-9 %s parks it as well", async (_, yaml) => {
    const first = await fixture.current.start(yaml);
    expect(await untilParked(first)).toContain("SECRET_MISSING");
    expect(await ending(await openNext(first, HAS_TOKEN))).toBe("completed");
  });

  it("FAIL-9 a step of a called workflow parks the execution", async () => {
    const kid = contract(`name: kid\nsteps: [{ id: a, run: 'true', ${TOKEN} }]\n`);
    const engine = await fixture.current.open({ workflows: [kid] });
    const first = await engine.start(contract("name: f\nsteps: [{ id: call, workflow: kid }]\n"));
    expect(await untilParked(first)).toContain("cannot run `call/a`");
    expect(await ending(await openNext(first, HAS_TOKEN))).toBe("completed");
  });

  it("FAIL-9 FAIL-8 a compensation parks the execution, and a process that has the secret compensates", async () => {
    const first = await fixture.current.start(
      `name: f\nonFailure: compensate\nsteps:\n  - { id: a, run: 'true', compensate: { run: 'echo > undone', ${TOKEN} } }\n  - { id: b, run: 'false', dependsOn: [a] }\n`,
    );
    expect(await untilParked(first)).toContain("SECRET_MISSING");
    const handle = await openNext(first, HAS_TOKEN);
    expect(await ending(handle)).toBe("failed");
    expect(fixture.current.has("undone")).toBe(true);
    expect(await handle.status()).not.toHaveProperty("notUndone");
  });
});

describe("a private address that the process may not reach", () => {
  it("FAIL-9 HTTP_ADDRESS_REFUSED parks the execution, and a process that may reach it continues", async () => {
    await using server = await serve((_, response) => response.end("inside"));
    const first = await fixture.current.start(`name: f\nsteps: [{ id: a, http: '${server.url}/' }]\n`);
    expect(await untilParked(first)).toMatch(/^this process cannot run `a`: .*not allowed \(HTTP_ADDRESS_REFUSED\)$/u);
    expect([(await first.status()).cause, server.seen]).toEqual(["address-refused", []]);
    const handle = await openNext(first, ALLOWED);
    await handle.result();
    expect(await findStep(handle, "a")).toMatchObject({ status: "succeeded", attempts: 1 });
  });

  it("FAIL-9 parks the execution also after a redirect", async () => {
    await using inside = await serve((_, response) => response.end("inside"), "127.0.0.2");
    await using server = await serve((_, response) => response.writeHead(302, { location: `${inside.url}/` }).end());
    const first = await fixture.current.start(`name: f\nsteps: [{ id: a, http: '${server.url}/' }]\n`, {
      http: { allowPrivate: ["127.0.0.1"] },
    });
    expect(await untilParked(first)).toContain("127.0.0.2");
    expect(await ending(await openNext(first, ALLOWED))).toBe("completed");
  });

  it("FAIL-1 is a failure if a function throws the same code", async () => {
    const thrown = Object.assign(new Error("no"), { code: "HTTP_ADDRESS_REFUSED", name: "PermanentError" });
    const engine = await fixture.current.open({ agents: { it: () => Promise.reject(thrown) } });
    expect(await ending(await engine.start(contract("name: f\nsteps: [{ id: a, agent: it, retry: 1 }]\n")))).toBe(
      "failed",
    );
  });
});

describe("a module that the process does not find", () => {
  const using = (thread: boolean): string =>
    `name: f\nonFailure: compensate\nagents: { it: { module: "./later.mjs", thread: ${thread} } }\n` +
    "steps:\n  - { id: before, run: 'true', compensate: { run: 'echo > undone' } }\n" +
    "  - { id: a, agent: it, dependsOn: [before], retry: { attempts: 3, base: 1ms } }\noutput: ${ steps.a.output }\n";

  it.each([
    ["in this process", false],
    ["on a thread", true],
  ])("FAIL-9 AGENT_MODULE_MISSING parks the execution, and a process that has it continues: %s", async (_, thread) => {
    const handle = await fixture.current.start(using(thread));
    expect(await untilParked(handle)).toMatch(
      /^this process cannot run `a`: the agent module .+later\.mjs cannot be loaded: there is no such file.+\(AGENT_MODULE_MISSING\)$/u,
    );
    expect((await handle.status()).cause).toBe("no-module");
    expect(await findStep(handle, "a")).toMatchObject({ attempts: 0 });
    expect(await untilParked(await openNext(handle, {}))).toContain("AGENT_MODULE_MISSING");
    fixture.current.write("later.mjs", "export default (_, { attempt }) => attempt;\n");
    expect(await (await openNext(handle, {})).result()).toBe(1);
    expect(fixture.current.has("undone")).toBe(false);
  });

  it("FAIL-9 can be resumed in the same process once the module is there", async () => {
    const handle = await fixture.current.start(using(true));
    await untilParked(handle);
    fixture.current.write("later.mjs", "export default () => 'found';\n");
    await handle.resume();
    expect(await handle.result()).toBe("found");
  });

  it("FAIL-9 AGENT_MODULE_MISSING parks the execution also if the module imports something that is not there", async () => {
    fixture.current.write("later.mjs", 'import name from "./dependency.mjs";\nexport default () => name;\n');
    const handle = await fixture.current.start(using(true));
    expect(await untilParked(handle)).toContain("dependency.mjs");
    expect((await handle.status()).cause).toBe("no-module");
    fixture.current.write("dependency.mjs", "export default 'installed';\n");
    expect(await (await openNext(handle, {})).result()).toBe("installed");
    expect(fixture.current.has("undone")).toBe(false);
  });
});
