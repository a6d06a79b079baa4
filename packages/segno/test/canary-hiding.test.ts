// Places at which secrets like to hide (DATA-9): where something is cut, inside of what is logged, behind a restart, and
// where nobody asked for them.

import type { EngineOptions } from "@segno/engine";
import { loadContract } from "@segno/contract";
import { afterEach, describe, expect, it } from "vitest";

import { useCanaryFixture, ended, start } from "./canary-fixture.ts";
import { hitsIn, SECRETS } from "./canary-secrets.ts";

const fixture = useCanaryFixture();

describe("a secret at a place where a message is cut", () => {
  const yaml = (thread: boolean): string =>
    `name: f\nagents: { cut: { module: ./cut.mjs, thread: ${thread} } }\nsteps: [{ id: a, agent: cut, secrets: [plain], retry: 1 }]\n`;

  it.each([
    ["of a function", false, '"x".repeat(8172) + secrets.plain'],
    ["of a thread", true, '"x".repeat(8172) + secrets.plain'],
    ["of a thread that repeats it", true, '(secrets.plain + " ").repeat(1000)'],
    ["of a cause", false, '"x"', '"x".repeat(8172) + secrets.plain'],
  ])("DATA-9 shows no part of itself in the error %s", async (_, thread, message, cause = '"none"') => {
    const error = `new Error(${message}, { cause: new Error(${cause}) })`;
    fixture.current.write("cut.mjs", `export default (_, { secrets }) => { throw ${error}; };\n`);
    const engine = await fixture.current.open();
    const handle = await start(engine, yaml(thread));
    expect(await ended(handle)).toBe("failed");
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });

  it("DATA-9 shows no part of itself at the end of what is kept of a command", async () => {
    const engine = await fixture.current.open();
    // More than is kept of a stream, and more lines than a message has.
    const run = `for n in 1 2 3 4 5 6 7 8; do printf "%130000s$T\\n" x; printf "%480s$T\\n" x >&2; done; exit 1`;
    const handle = await start(
      engine,
      `name: f\nsteps:\n  - { id: a, run: '${run}', env: { T: "\${ secrets.plain }" }, retry: 1 }\n`,
    );
    expect(await ended(handle)).toBe("failed");
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });
});

describe("a secret as a shell prints it", () => {
  it.each([
    ["echo", 'echo "$T"'],
    ["set -x", 'set -x; : "$T" "$U"'],
    ["env", "env | sort"],
    ["export -p", "export -p"],
    ["what is wrong with it", '"$T" || "$U" || true'],
  ])("DATA-9 is masked, by %s", async (_, script) => {
    const engine = await fixture.current.open();
    const env = `env: { T: "\${ secrets.quoted }", U: "\${ secrets.wide }" }`;
    const handle = await start(engine, `name: f\nsteps:\n  - { id: a, run: ${JSON.stringify(script)}, ${env} }\n`);
    expect(await ended(handle)).toBe("completed");
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });
});

describe("a secret at a place where an answer is cut", () => {
  const inHtml = (secret: string): string => secret.replaceAll('"', "&quot;").replaceAll("'", "&#39;");

  it.each([
    ["as a page of HTML writes it", inHtml, "quoted"],
    ["as a URL writes it", encodeURIComponent, "url"],
  ])("DATA-9 shows no part of itself, %s", async (_, form, name) => {
    const url = await fixture.current.serve(({ headers }, response) => {
      const page = `${"x".repeat(250)} ${form(String(headers["x-it"]))} and so on`;
      response.writeHead(400, { "content-type": "text/html" }).end(page);
    });
    const engine = await fixture.current.open({ http: { allowPrivate: true } });
    const handle = await start(
      engine,
      `name: f\nsteps:\n  - { id: a, http: { url: "${url}", headers: { x-it: "\${ secrets.${name} }" } }, retry: 1 }\n`,
    );
    expect(await ended(handle)).toBe("failed");
    expect((await handle.status()).failure!.message).not.toContain(form(SECRETS[name]!).slice(0, 20));
  });

  it("DATA-9 shows no part of itself where the step did not ask for it", async () => {
    const url = await fixture.current.serve((_, response) => {
      response.writeHead(400, { "content-type": "text/plain" }).end(`${"x".repeat(250)} ${SECRETS["quoted"]!}`);
    });
    const engine = await fixture.current.open({ http: { allowPrivate: true } });
    const handle = await start(engine, `name: f\nsecrets: [quoted]\nsteps: [{ id: a, http: "${url}", retry: 1 }]\n`);
    expect(await ended(handle)).toBe("failed");
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });
});

describe("a secret in a log line", () => {
  it.each<[string, (value: string) => Readonly<Record<string, unknown>>]>([
    ["an error inside of a field", (value) => ({ details: { error: new Error(value) } })],
    ["a list of errors", (value) => ({ errors: [new TypeError(`no: ${value}`)] })],
    ["the cause of an error", (value) => ({ error: new Error("outer", { cause: new Error(value) }) })],
    ["a map", (value) => ({ found: new Map([["key", value]]) })],
    ["a set", (value) => ({ found: new Set([value]) })],
    ["a field that says itself how it is written", (value) => ({ url: new URL(`https://x.example/${value}`) })],
  ])("DATA-9 is masked in %s", async (_, fields) => {
    const engine = await fixture.current.open({
      agents: { tell: (_input, { secrets, log }) => log.info(fields(secrets["plain"]!), "told") },
    });
    const handle = await start(engine, "name: f\nsteps: [{ id: a, agent: tell, secrets: [plain] }]\n");
    expect(await ended(handle)).toBe("completed");
    expect(fixture.current.log.text).toContain("told");
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });
});

describe("a secret that a step comes upon after a restart", () => {
  const LEAVES = `id: leaves, run: 'printf %s "$T" > left', env: { T: "\${ secrets.plain }" }`;
  const FINDS = `id: finds, run: "echo > up; while [ ! -e go ]; do sleep 0.01; done; cat left"`;

  /** One step leaves it in a file; the engine is closed and opened again while the one that finds it is under way. */
  async function restarted(
    steps: string,
    inner: string = FINDS,
    options: EngineOptions = {},
  ): Promise<readonly string[]> {
    const workflows = [loadContract(`name: inner\nsteps: [{ ${inner} }]\n`)];
    const first = await fixture.current.open({ workflows });
    const { id } = await start(first, `name: f\nsteps: [${steps}]\n`);
    await fixture.current.appears("up");
    await first.close();
    fixture.current.write("go", "");
    const second = await fixture.current.open({ workflows, ...options });
    const handle = await second.get(id);
    expect(await ended(handle)).toBe("completed");
    return fixture.current.hits(second, handle);
  }

  it.each([
    ["a step of the same workflow", `{ ${LEAVES} }, { ${FINDS}, dependsOn: [leaves] }`, FINDS],
    [
      "a step inside of a map",
      `{ ${LEAVES} }, { id: each, map: { over: '[\`1\`]', steps: [{ ${FINDS} }] }, dependsOn: [leaves] }`,
      FINDS,
    ],
    [
      "a step of a workflow inside of the one that had it",
      `{ ${LEAVES} }, { id: sub, workflow: inner, dependsOn: [leaves] }`,
      FINDS,
    ],
    ["a step behind a workflow that had it", `{ id: sub, workflow: inner }, { ${FINDS}, dependsOn: [sub] }`, LEAVES],
  ])("DATA-9 is masked in %s", async (_, steps, inner) => {
    expect(await restarted(steps, inner)).toEqual([]);
  });

  it("DATA-9 is masked also when whoever gives out secrets could not be asked at first", async () => {
    let asked = 0;
    const secrets = (name: string): string | undefined => {
      if (++asked === 1) throw new Error("the vault is not up yet");
      return SECRETS[name];
    };
    const steps = `{ ${LEAVES} }, { ${FINDS}, dependsOn: [leaves], retry: { attempts: 3, base: 10ms } }`;
    expect(await restarted(steps, FINDS, { secrets })).toEqual([]);
  });
});

describe("a secret goes where it was asked for", () => {
  const NOBODYS = "SEGNO_SECRET_ASKED_BY_NOBODY";
  afterEach(() => void delete process.env[NOBODYS]);

  it("DATA-1 DATA-2 also into an input that is checked by a schema", async () => {
    let given: unknown;
    const engine = await fixture.current.open({ agents: { take: (input) => void (given = input) } });
    const schema = "{ type: object, properties: { token: { type: string, minLength: 6 } } }";
    const input = `input: { token: "\${ secrets.plain }" }, inputSchema: ${schema}`;
    const handle = await start(engine, `name: f\nsteps: [{ id: a, agent: take, ${input} }]\n`);
    expect(await ended(handle)).toBe("completed");
    expect(given).toEqual({ token: SECRETS["plain"] });
  });

  it("DATA-1 or is refused: one in the input of another workflow does not become nothing", async () => {
    let given: unknown;
    const inner = loadContract(`name: inner\nsteps: [{ id: a, agent: take, input: "\${ input.token }" }]\n`);
    const engine = await fixture.current.open({
      agents: { take: (input) => void (given = input) },
      workflows: [inner],
    });
    const started = async (): Promise<string> =>
      ended(
        await start(
          engine,
          `name: f\nsteps: [{ id: sub, workflow: inner, input: { token: "\${ secrets.plain }" } }]\n`,
        ),
      );
    const outcome = await started().catch((error: unknown) => String(error));
    if (outcome === "completed") expect(given).toBe(SECRETS["plain"]);
    else expect(outcome).toContain("secret");
  });

  it("DATA-9 and not into the environment of a thread that did not ask for it", async () => {
    process.env[NOBODYS] = SECRETS["plain"];
    const found = "Object.keys(process.env).filter((name) => name.startsWith('SEGNO_SECRET_'))";
    fixture.current.write("look.mjs", `export default () => ${found};\n`);
    const { environmentSecrets } = await import("@segno/engine");
    const engine = await fixture.current.open({ secrets: environmentSecrets(process.env) });
    const agents = "agents: { look: { module: ./look.mjs, thread: true } }";
    const handle = await start(
      engine,
      `name: f\n${agents}\nsteps: [{ id: a, agent: look }]\noutput: \${ steps.a.output }\n`,
    );
    expect(await handle.result()).toEqual([]);
    expect(hitsIn("the logger", fixture.current.log.text)).toEqual([]);
  });
});
