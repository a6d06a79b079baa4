// `default` in the schema of a workflow's input (DATA-12).

import { loadContract } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { SharedEngines } from "../engine/shared-engines.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, ending, findStep, useFixture } from "./fixture.ts";

const fixture = useFixture();

const SCHEMA = `
  type: object
  required: [region, server]
  additionalProperties: false
  properties:
    region: { type: string, default: eu }
    server: { type: object, default: {}, required: [port], properties: { port: { type: integer, default: 80 } } }
`;

const DEPLOY = `
name: deploy
input: ${SCHEMA}
steps:
  - { id: say, exec: [printf, "%s:%s", "\${ input.region }", "\${ input.server.port }"], when: input.server.port > \`1\` }
output: "\${ steps.say.output.stdout }"
`;

describe("DATA-12 a missing part of an input", () => {
  it.each<readonly [string, Json, string]>([
    ["nothing is given", null, "eu:80"],
    ["an empty object is given", {}, "eu:80"],
    ["a part is given", { region: "us" }, "us:80"],
    ["a nested part is given", { server: { port: 8080 } }, "eu:8080"],
  ])("is the schema's default if %s", async (_, input, expected) => {
    expect(await (await fixture.current.start(DEPLOY, {}, input)).result()).toBe(expected);
  });

  it("is stored in the journal, and a start with the same key may leave it out", async () => {
    const engine = await fixture.current.open();
    const first = await engine.start(contract(DEPLOY), {}, { idempotencyKey: "once" });
    const second = await engine.start(contract(DEPLOY), { region: "eu" }, { idempotencyKey: "once" });
    expect(second.id).toBe(first.id);
    const [created] = await readEvents(first, "execution.created");
    expect(created).toMatchObject({ input: { json: { region: "eu", server: { port: 80 } } } });
    await first.result();
  });

  it("is filled in for a called workflow, from the schema of that workflow", async () => {
    const engine = await fixture.current.open({ workflows: [contract(DEPLOY)] });
    const handle = await engine.start(
      contract(`
name: outer
steps:
  - { id: plain, workflow: deploy }
  - { id: given, workflow: deploy, input: { server: { port: 443 } } }
  - { id: wrong, workflow: deploy, input: { server: { port: none } }, onError: continue }
output: ["\${ steps.plain.output }", "\${ steps.given.output }"]
`),
    );
    expect(await handle.result()).toEqual(["eu:80", "eu:443"]);
    expect((await findStep(handle, "wrong")).detail).toMatchObject({
      failure: { code: "INPUT_INVALID", message: expect.stringContaining("server.port") },
    });
  });

  it("INPUT_INVALID is still missing if it has no default", async () => {
    const strict = DEPLOY.replace(", default: eu", "");
    await expect(fixture.current.start(strict, {}, { server: {} })).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining("region"),
    });
  });

  it("reaches a workflow that has no schema unchanged", async () => {
    const handle = await fixture.current.start("name: free\nsteps: []\noutput: ${ input }\n", {}, null);
    expect(await handle.result()).toBe(null);
    expect(await ending(handle)).toBe("completed");
  });
});

describe("DATA-12 a start that is posted to the owner", () => {
  const shared = new SharedEngines();
  afterEach(() => shared.close());

  it("has the defaults", async () => {
    const owner = await shared.open();
    const poster = await shared.poster();
    const waiting = contract(
      `name: posted\ninput: ${SCHEMA}\nsteps:\n  - { id: work, agent: work, input: "\${ input }" }\n`,
    );
    await shared.start(poster, waiting, { region: "us" }, { id: "order-7" });
    await shared.time.advance(60_000);
    expect(shared.ran).toEqual([["posted", { region: "us", server: { port: 80 } }]]);
    expect(await shared.statusOf(await owner.get("order-7"))).toBe("completed");
  });
});

describe("DATA-12 a contract", () => {
  const load = (input: string): string => {
    try {
      loadContract(`name: bad\ninput: ${input}\nsteps: []\n`);
      return "loaded";
    } catch (error) {
      const { problems } = error as { problems: readonly { code: string; line: number; message: string }[] };
      return problems.map(({ code, message }) => `${code} ${message}`).join("; ");
    }
  };

  it("SCHEMA_DEFAULT is refused if a default does not fit the schema beside it", () => {
    expect(load("{ properties: { a: { type: integer, default: '1' } } }")).toMatch(
      /^SCHEMA_DEFAULT expected a default that fits its schema: /u,
    );
    expect(load("{ properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { enum: [x], default: y } } }")).toMatch(
      /^SCHEMA_DEFAULT /u,
    );
    expect(load("{ default: { a: 1 }, properties: { a: { type: string } } }")).toMatch(/^SCHEMA_DEFAULT /u);
  });

  it("SCHEMA_DEFAULT is refused if its defaults have no end", () => {
    expect(load("{ properties: { child: { $ref: '#', default: {} } } }")).toMatch(
      /^SCHEMA_DEFAULT expected defaults that end/u,
    );
  });

  it("loads if a default fits together with the defaults inside it", () => {
    expect(load("{ properties: { a: { default: {}, required: [b], properties: { b: { default: 1 } } } } }")).toBe(
      "loaded",
    );
  });
});
