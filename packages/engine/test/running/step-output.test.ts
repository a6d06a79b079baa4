// The output of functions and modules to `console`, stdout and stderr (DATA-9). The programs run in a process of their
// own, because the test runner replaces the console.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ENGINE = JSON.stringify(new URL("../../src/index.ts", import.meta.url).href);
const SECRET = "correct-horse";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-output-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** The log of each step, as `step stream: text`. */
  readonly log: readonly string[];
}

interface Setting {
  /** Options of the engine. */
  readonly options?: string;
  /** Code before the start. */
  readonly before?: string;
  /** Code after the result. */
  readonly after?: string;
  /** Names of secrets; step `a` gets them. */
  readonly secrets?: string;
}

/** Runs two steps concurrently: `a` with this code, and `b`, which writes a line of its own in between. */
function runProgram(body: string, { options = "", before = "", after = "", secrets = `["token"]` }: Setting = {}): Ran {
  const program = `
    import { writeFileSync } from "node:fs";
    import { Engine } from ${ENGINE};
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const definition = { name: "flow", secrets: ${secrets}, steps: [
      { id: "a", action: { kind: "agent", agent: "a" }, secrets: ${secrets} },
      { id: "b", action: { kind: "agent", agent: "b" } },
    ] };
    const a = async (input, context) => { ${body} };
    const b = async () => { await turn(); await turn(); console.log("line of b"); };
    const options = { agents: { a, b }, secrets: async () => "${SECRET}", ${options} };
    const engine = await Engine.open(options);
    ${before}
    const handle = await engine.start(definition, null, { id: "it" });
    await handle.result();
    ${after}
    const log = [];
    if (options.store !== "none")
      for await (const { step, stream, text } of engine.logs("it")) log.push(step + " " + stream + ": " + text);
    writeFileSync("log.json", JSON.stringify(log));
    await engine.close();
  `;
  writeFileSync(join(folder, "program.mjs"), program);
  const run = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
  expect(run.status, run.stdout + run.stderr).toBe(0);
  return { ...run, log: (JSON.parse(readFileSync(join(folder, "log.json"), "utf8")) as string[]).toSorted() };
}

describe("the output of a function", () => {
  const PRINTS = `
    const { token } = context.secrets;
    console.log("now", { token });
    console.error("an error with " + token);
    await turn();
    await new Promise((resolve) => setTimeout(resolve, 1));
    process.stdout.write("later " + token + "\\n");
    queueMicrotask(() => console.warn("and later " + Buffer.from(token).toString("base64")));
    await turn();
  `;
  const KEPT = [
    "a stderr: an error with ***",
    "a stderr: and later ***",
    "a stdout: later ***",
    "a stdout: now { token: '***' }",
    "b stdout: line of b",
  ];

  it("DATA-9 is in the log of its step and on the terminal, masked in both", () => {
    const { stdout, stderr, log } = runProgram(PRINTS);
    expect(log).toEqual(KEPT);
    expect(stdout.split("\n").toSorted()).toEqual(["", "later ***", "line of b", "now { token: '***' }"]);
    expect(stderr).toBe("an error with ***\nand later ***\n");
  });

  it("DATA-9 is not shown if the program controls the terminal", () => {
    const { stdout, stderr, log } = runProgram(PRINTS, {
      options: `functionOutput: "log"`,
      before: `console.log("before");`,
      after: `console.log("after", "${SECRET}");`,
    });
    expect(log).toEqual(KEPT);
    expect([stdout, stderr]).toEqual([`before\nafter ${SECRET}\n`, ""]);
  });

  it("DATA-9 is masked without a store too", () => {
    const { stdout, stderr } = runProgram(PRINTS, { options: `store: "none"` });
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout).toContain("later ***\n");
  });

  it("goes to the terminal unchanged if nothing is stored and there are no secrets", () => {
    const prints = `process.stdout.write("as it is\\n"); await turn(); console.error("as it is");`;
    const { stdout, stderr } = runProgram(prints, { options: `store: "none"`, secrets: "[]" });
    expect([stdout, stderr]).toEqual(["as it is\nline of b\n", "as it is\n"]);
  });
});

describe("output that is written in pieces, late or elsewhere", () => {
  it("DATA-9 reveals no secret that comes in pieces, or at the very end", () => {
    const prints = `for (const part of ["it is correct", "-ho", "rse.", "\\nand correct-", "horse"]) {
      await turn();
      process.stdout.write(part);
    }`;
    const { stdout, log } = runProgram(prints);
    expect(log).toEqual(["a stdout: and ***", "a stdout: it is ***.", "b stdout: line of b"]);
    expect(stdout.replace("line of b\n", "")).toBe("it is ***.\nand ***");
  });

  it("may use every signature of `write`", () => {
    const prints = `
      const { promise, resolve } = Promise.withResolvers();
      process.stdout.write("6865780a", "hex", resolve);
      await promise;
      process.stdout.write(new Uint8Array([98, 10]), () => process.stdout.write("called back\\n"));
      console.table([{ x: 1 }]);
      await turn();
      try { process.stdout.write(7); } catch (error) { console.log(error.code); }
    `;
    const { log } = runProgram(prints);
    expect(log).toEqual(
      expect.arrayContaining(["hex", "b", "called back", "ERR_INVALID_ARG_TYPE"].map((text) => `a stdout: ${text}`)),
    );
    expect(log.filter((line) => line.includes("│ 0"))).toHaveLength(1);
  });

  it("DATA-9 is masked after the end of its attempt, and belongs to no other step", () => {
    const { stdout, log } = runProgram(
      `const { token } = context.secrets;
       globalThis.late = new Promise((resolve) => { globalThis.go = resolve; }).then(() => console.log("late " + token));`,
      { after: `go(); await late; console.log("the end");` },
    );
    expect(log).toEqual(["b stdout: line of b"]);
    expect(stdout).toBe("line of b\nlate ***\nthe end\n");
  });

  it("belongs to the step also if a lazy promise does the work, or a module prints while it is loaded", () => {
    writeFileSync(join(folder, "agent.mjs"), `console.log("loaded"); export default () => console.log("called");`);
    const { stdout } = runProgram("", {
      options: `
        functionOutput: "log",
        agents: { a, b, lazy: { execute: () => ({ then(done) { console.log("lazy"); done(null); } }) } },
      `,
      before: `
        const agents = { module: { module: "./agent.mjs" } };
        const steps = ["module", "lazy"].map((agent) => ({ id: agent, action: { kind: "agent", agent } }));
        await (await engine.start({ name: "others", agents, steps }, null, { id: "others" })).result();
        for await (const { step, text } of engine.logs("others")) console.log(step, "wrote", text);
      `,
    });
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual([
      "lazy wrote lazy",
      "module wrote called",
      "module wrote loaded",
    ]);
  });
});

describe("output that does not belong to a step", () => {
  it("is that of loggers and listeners, even while a step's code is on the stack", () => {
    const { stdout, log } = runProgram(`context.log.info("logged"); console.log("printed");`, {
      options: `logger: {
        debug() {}, warn() {}, error() {}, child() { return this; },
        info: (...given) => console.log("logger", given.at(-1)),
      }`,
      before: `
        engine.onLog({}, (_, lines) => { for (const { text } of lines) console.log("heard", text); });
        engine.subscribe({ kinds: ["step.completed"] }, ({ events }) => console.log("watched", events.length > 0));
      `,
    });
    expect(log).toEqual(["a log: logged", "a stdout: printed", "b stdout: line of b"]);
    expect(stdout.match(/^heard .*$/gmu)).toEqual(["heard logged", "heard printed", "heard line of b"]);
    expect(stdout).toContain("logger logged\n");
  });

  it("is that of an execution that a step has started", () => {
    const inner = `{ name: "inner", steps: [{ id: "c", action: { kind: "agent", agent: "b" } }] }`;
    const { log } = runProgram(
      `const inner = await engine.start(${inner}, null, { id: "inner" }); await inner.result(); console.log("done");`,
    );
    expect(log).toEqual(["a stdout: done", "b stdout: line of b"]);
  });
});

describe("the logger of a function", () => {
  it("EVENT-5 DATA-9 records messages, fields, errors and bytes in any order, and masks them", () => {
    const { stderr, log } = runProgram(`
      const { log, secrets: { token } } = context;
      log.info("message first", { n: 1 });
      log.info({ n: 1 }, "fields first");
      log.info("bytes", { bytes: Buffer.from("x" + token) });
      log.error(Object.assign(new Error("no " + token), { code: "E_NO", stack: "at " + token }));
      log.child({ part: new Map([["a", 10n]]) }).info("of a child");
      log.info("unreadable", { get trap() { throw new Error("hands off"); }, seen: true });
    `);
    expect(log).toEqual([
      'a log: bytes {"bytes":"x***"}',
      'a log: error: no *** {"error":{"name":"Error","message":"no ***","code":"E_NO","stack":"at ***"}}',
      'a log: fields first {"n":1}',
      'a log: message first {"n":1}',
      'a log: of a child {"part":{"a":"10"}}',
      'a log: unreadable {"trap":"[unreadable]","seen":true}',
      "b stdout: line of b",
    ]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(6);
    expect(stderr).not.toContain(SECRET);
  });
});
