// Contracts that are put by the API: kinds of steps, versions, other servers, restarts (HTTP-5, HTTP-7).

import { child, Engine, workflow, type EngineOptions } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { serve, type ServeOptions } from "../src/index.ts";
import { ServerFixture, type CallResult } from "./server-fixture.ts";

interface NamedContract {
  readonly name: string;
  readonly [key: string]: unknown;
}

const WAITS: NamedContract = {
  name: "nightly",
  steps: [{ id: "rest", wait: { for: "1ms" } }],
  output: { said: "${ input.word }" },
};

function put(fixture: ServerFixture, contract: NamedContract): Promise<CallResult> {
  return fixture.call(`/v1/workflows/${contract.name}`, { method: "PUT", body: { contract } });
}

const withSteps = (...steps: readonly object[]): NamedContract => ({ name: "nightly", steps });

describe("a contract that is put", () => {
  it("HTTP-5 can be started at once, as JSON and as text", async () => {
    await using fixture = await ServerFixture.open();
    const made = await put(fixture, WAITS);
    expect([made.status, made.json["number"], made.json["by"]]).toEqual([201, 1, "root"]);
    const run = (name: string) =>
      fixture.post("/v1/executions", { workflow: name, input: { word: "hi" } }, { headers: { prefer: "wait=20" } });
    expect((await run("nightly")).json["output"]).toEqual({ said: "hi" });
    const text = "name: daily\nsteps:\n  - { id: rest, wait: { for: 1ms } }\noutput: done\n";
    expect((await fixture.call("/v1/workflows/daily", { method: "PUT", body: { text } })).status).toBe(201);
    expect((await run("daily")).json["output"]).toBe("done");
    const { workflows } = (await fixture.call("/v1/workflows")).json as { workflows: { name: string }[] };
    expect(workflows.map(({ name }) => name)).toEqual(["asks", "daily", "hello", "nightly"]);
  });

  it("HTTP-5 has versions: another contract is the next one, the same contract changes nothing", async () => {
    await using fixture = await ServerFixture.open();
    await put(fixture, WAITS);
    const next = await put(fixture, { ...WAITS, output: { said: "other" } });
    expect([next.status, next.json["number"]]).toEqual([201, 2]);
    const same = await put(fixture, { ...WAITS, output: { said: "other" } });
    expect([same.status, same.json["number"]]).toEqual([200, 2]);
    const { versions } = (await fixture.call("/v1/workflows/nightly/versions")).json as {
      versions: { number: number; definition: string }[];
    };
    expect(versions.map(({ number }) => number)).toEqual([2, 1]);
    const current = await fixture.call("/v1/workflows/nightly");
    expect(current.json["definition"]).toBe(versions[0]!.definition);
    const back = await put(fixture, WAITS);
    expect([back.status, back.json["number"], back.json["definition"]]).toEqual([201, 3, versions[1]!.definition]);
  });

  it("HTTP-5 of which ten are put at once has ten versions with ten numbers", async () => {
    await using fixture = await ServerFixture.open();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => put(fixture, { ...WAITS, output: { said: `${index}` } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ json }) => json["number"])).size).toBe(10);
    const { versions } = (await fixture.call("/v1/workflows/nightly/versions")).json as {
      versions: { number: number }[];
    };
    expect(versions.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("HTTP-6 CONTRACT_INVALID lists every problem with its place, and nothing is stored", async () => {
    await using fixture = await ServerFixture.open();
    const answer = await put(fixture, withSteps({ id: "a", wait: { for: "soon" } }, { id: "b", waits: 1 }));
    expect([answer.status, answer.json["code"]]).toEqual([422, "CONTRACT_INVALID"]);
    const problems = answer.json["problems"] as { pointer: string }[];
    expect(problems.map(({ pointer }) => pointer)).toContain("/steps/0/wait/for");
    expect((await fixture.call("/v1/workflows/nightly")).json["code"]).toBe("WORKFLOW_UNKNOWN");
  });

  it("HTTP-6 has the name of its path, and one of the two forms", async () => {
    await using fixture = await ServerFixture.open();
    for (const body of [{ contract: { ...WAITS, name: "other" } }, { contract: WAITS, text: "" }, {}, { contract: 7 }])
      expect((await fixture.call("/v1/workflows/nightly", { method: "PUT", body })).json["code"]).toBe(
        "REQUEST_INVALID",
      );
  });
});

describe("a contract with the name of another workflow", () => {
  it("HTTP-7 WORKFLOW_FIXED: it never replaces a workflow that the operator has loaded", async () => {
    await using fixture = await ServerFixture.open();
    const answer = await put(fixture, { ...WAITS, name: "hello" });
    expect([answer.status, answer.json["code"]]).toEqual([409, "WORKFLOW_FIXED"]);
  });

  it("HTTP-7 WORKFLOW_FIXED: it never replaces a workflow that others call and the server does not offer", async () => {
    const inner = workflow("inner")
      .step("say", () => "inner")
      .output(({ outputs }) => outputs.say);
    const outer = workflow("outer")
      .step("call", child(inner))
      .output(({ outputs }) => outputs.call);
    await using fixture = await ServerFixture.open({ workflows: [outer], contracts: { reserved: ["own"] } });
    for (const name of ["inner", "own"])
      expect((await put(fixture, { ...WAITS, name })).json["code"], name).toBe("WORKFLOW_FIXED");
    const run = await fixture.post("/v1/executions", { workflow: "outer" }, { headers: { prefer: "wait=20" } });
    expect(run.json["output"]).toBe("inner");
  });
});

const REFUSED: readonly (readonly [string, NamedContract])[] = [
  ["a command", withSteps({ id: "a", run: "id" })],
  ["a program", withSteps({ id: "a", exec: ["id"] })],
  [
    "a command in a compensation",
    withSteps({ id: "a", wait: { for: "1ms" } }, { id: "b", http: "https://example.com", compensate: { run: "id" } }),
  ],
  [
    "a command in a fallback",
    withSteps({ id: "a", http: "https://example.com", fallback: "b" }, { id: "b", run: "id" }),
  ],
  ["a command in a map", withSteps({ id: "a", map: { over: "input", steps: [{ id: "b", run: "id" }] } })],
  [
    "a command in a repetition in a map",
    withSteps({
      id: "a",
      map: { over: "input", steps: [{ id: "b", repeat: { max: 2, steps: [{ id: "c", exec: ["id"] }] } }] },
    }),
  ],
  ["a command that is not enabled", withSteps({ id: "a", run: "id", enabled: false })],
  ["an agent of a code workflow", withSteps({ id: "a", agent: "segno.code.session" })],
  ["an agent that nobody has registered", withSteps({ id: "a", agent: "ghost" })],
  ["the function of another workflow's step", withSteps({ id: "a", agent: "hello.say" })],
  [
    "the module of an agent that no step uses",
    { ...withSteps({ id: "a", wait: { for: "1ms" } }), agents: { x: { module: "./x.ts" } } },
  ],
  [
    "a module in place of a registered agent",
    { ...withSteps({ id: "a", agent: "known" }), agents: { known: { module: "./x.ts" } } },
  ],
];

describe("a contract of the API", () => {
  it.each(REFUSED)("HTTP-7 KIND_REFUSED: it has no %s unless the server allows it", async (_, contract) => {
    await using fixture = await ServerFixture.open({ contracts: { agents: ["known"] } });
    const answer = await put(fixture, contract);
    expect([answer.status, answer.json["code"]], answer.text).toEqual([403, "KIND_REFUSED"]);
    expect((await fixture.call("/v1/workflows/nightly")).status).toBe(404);
  });

  it("HTTP-7 may have requests and the agents that the operator names, and with `allow` all of it", async () => {
    await using fixture = await ServerFixture.open({ contracts: { agents: ["known"] } });
    expect(
      (await put(fixture, withSteps({ id: "a", agent: "known" }, { id: "b", http: "https://example.com" }))).status,
    ).toBe(201);
    await using open = await ServerFixture.open({ contracts: { allow: ["run", "exec", "module", "agent", "http"] } });
    const all = {
      ...withSteps({ id: "a", run: "id" }, { id: "b", exec: ["id"] }, { id: "c", agent: "x" }),
      agents: { x: { module: "./x.ts" } },
    };
    expect((await put(open, all)).status).toBe(201);
    await using none = await ServerFixture.open({ contracts: { allow: [] } });
    expect((await put(none, withSteps({ id: "b", http: "https://example.com" }))).status).toBe(403);
  });
});

interface OtherServer extends AsyncDisposable {
  names(): Promise<readonly string[]>;
}

async function openOther(
  folder: string,
  options: ServeOptions = {},
  engineOptions: EngineOptions = {},
): Promise<OtherServer> {
  const engine = await Engine.open({ file: `${folder}/segno.db`, ...engineOptions });
  const server = await serve(engine, { port: 0, ...options });
  return {
    names: () => server.workflows(),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await engine.close();
    },
  };
}

describe("another server on the same store", () => {
  it("HTTP-5 offers the contracts that were put before its start and after it", async () => {
    await using fixture = await ServerFixture.open();
    await put(fixture, WAITS);
    await using other = await openOther(fixture.folder);
    expect(await other.names()).toEqual(["nightly"]);
    await put(fixture, { ...WAITS, name: "daily" });
    let names = await other.names();
    while (names.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      names = await other.names();
    }
    expect(names).toEqual(["daily", "nightly"]);
  });

  it("HTTP-7 leaves out a contract that its own rules refuse, and reports it", async () => {
    await using fixture = await ServerFixture.open({ contracts: { allow: ["run"] } });
    await put(fixture, withSteps({ id: "a", run: "id" }));
    const faults: unknown[] = [];
    await using other = await openOther(fixture.folder, { onFault: (fault) => faults.push(fault) });
    expect(await other.names()).toEqual([]);
    expect(faults).toMatchObject([{ code: "KIND_REFUSED" }]);
  });
});

describe("a version whose server was killed before it was the current one", () => {
  it("HTTP-5 becomes current with the next put, which gets the number after it", async () => {
    await using fixture = await ServerFixture.open();
    await put(fixture, WAITS);
    const documents = fixture.engine.extensions.documents!;
    const body = (await documents.get("workflow-version", "nightly 00000001"))!;
    const lost = { ...(JSON.parse(body) as object), number: 2, definition: "sha256:lost" };
    await documents.put({ kind: "workflow-version", key: "nightly 00000002", body: JSON.stringify(lost) });
    const next = await put(fixture, { ...WAITS, output: { said: "other" } });
    expect([next.status, next.json["number"]]).toEqual([201, 3]);
  });
});
