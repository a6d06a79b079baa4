// Where a command runs, which shell runs its script, and its standard input: `cwd`, `shell` and `stdin`.

import { mkdirSync } from "node:fs";
import { loadContract, toYaml } from "@segno/contract";
import { describe, expect, it } from "vitest";
import { exec, shell, workflow } from "../../src/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { ending, findStep, useFixture } from "./fixture.ts";

const fixture = useFixture();

async function failure(yaml: string): Promise<unknown> {
  const handle = await fixture.current.start(yaml);
  expect(await ending(handle)).toBe("failed");
  return (await findStep(handle, "a")).detail;
}

const one = (keys: string): string => `name: one\nsteps:\n  - { id: a, ${keys} }\n`;

function problems(yaml: string): readonly string[] {
  try {
    loadContract(yaml);
    return [];
  } catch (error) {
    return (error as { problems: readonly { code: string; message: string }[] }).problems.map(
      ({ code, message }) => `${code} ${message}`,
    );
  }
}

describe("DATA-7 the working directory of a command", () => {
  it("is relative to that of the engine, and may be a template", async () => {
    mkdirSync(fixture.current.path("packages/app"), { recursive: true });
    const handle = await fixture.current.start(
      `
name: placed
steps:
  - { id: plain, run: pwd }
  - { id: fixed, run: pwd, cwd: packages }
  - { id: computed, exec: [pwd], cwd: "packages/\${ input.name }" }
  - { id: absolute, exec: [pwd], cwd: "\${ input.folder }" }
output: "\${ [steps.plain.output.stdout, steps.fixed.output.stdout, steps.computed.output.stdout, steps.absolute.output.stdout] }"
`,
      {},
      { name: "app", folder: fixture.current.path("packages/app") },
    );
    const { folder } = fixture.current;
    const expected = [folder, `${folder}/packages`, `${folder}/packages/app`, `${folder}/packages/app`];
    expect(await handle.result()).toEqual(expected);
  });

  it("COMMAND_FOLDER_MISSING fails the step for good if it does not exist or is a file", async () => {
    const expected = { failure: { class: "permanent", code: "COMMAND_FOLDER_MISSING" } };
    expect(await failure(one("run: pwd, cwd: nowhere"))).toMatchObject(expected);
    fixture.current.write("file", "");
    expect(await failure(one("exec: [pwd], cwd: file"))).toMatchObject(expected);
  });

  it("COMMAND_INVALID fails the step if it is not text", async () => {
    expect(await failure(one('run: pwd, cwd: "${ input.x }"'))).toMatchObject({
      failure: { code: "COMMAND_INVALID", message: "`cwd` is null, not a path" },
    });
  });
});

describe("DATA-7 the shell of a script", () => {
  it("is a program that fails with the first command, or a list that gets the script as its last argument", async () => {
    const handle = await fixture.current.start(`
name: shells
steps:
  - { id: named, run: 'echo "\${BASH_VERSION:+bash}"; false; echo never', shell: bash, onError: continue }
  - { id: listed, run: 'false | echo "\${BASH_VERSION:+bash}"', shell: [bash, -e, -o, pipefail, -c], onError: continue }
  - { id: program, run: "process.stdout.write(String(6 * 7))", shell: [${process.execPath}, -e] }
output: \${ steps.program.output.stdout }
`);
    expect(await handle.result()).toBe("42");
    for (const step of ["named", "listed"])
      expect((await findStep(handle, step)).detail).toMatchObject({ failure: { code: "COMMAND_FAILED" } });
    expect(fixture.current.faults).toEqual([]);
  });

  it("COMMAND_NOT_FOUND fails the step if there is no such program", async () => {
    expect(await failure(one("run: 'true', shell: no-such-shell"))).toMatchObject({
      failure: { code: "COMMAND_NOT_FOUND", message: "there is no program `no-such-shell`" },
    });
  });
});

describe("DATA-7 the standard input of a command", () => {
  it("is text as it is, any other value as JSON, and empty for null", async () => {
    const handle = await fixture.current.start(
      `
name: fed
steps:
  - { id: text, run: cat, stdin: "hello \${ input.name }" }
  - { id: value, exec: [cat], stdin: "\${ input }", dependsOn: [text] }
  - { id: built, exec: [cat], stdin: { from: "\${ steps.text.output.stdout }", n: 1 }, dependsOn: [text] }
  - { id: missing, run: "wc -c | tr -d ' '", stdin: "\${ input.none }" }
  - { id: unread, run: "exit 0", stdin: "\${ input.large }" }
output: "\${ [steps.text.output.stdout, steps.value.output.stdout, steps.built.output.stdout, steps.missing.output.stdout] }"
`,
      {},
      { name: "Ada", large: "x".repeat(1_000_000) },
    );
    const large = "x".repeat(1_000_000);
    expect(await handle.result()).toEqual([
      "hello Ada",
      `{"name":"Ada","large":"${large}"}`.slice(-1_048_576),
      '{"from":"hello Ada","n":1}',
      "0",
    ]);
  });

  it("DATA-1 DATA-9 may hold secrets as whole values, which are not in the journal and are masked where they are printed", async () => {
    const handle = await fixture.current.start(
      `
name: login
secrets: [token]
steps:
  - { id: a, run: 'test "$(cat)" = letmein-now && echo letmein-now', stdin: "\${ secrets.token }" }
  - { id: b, run: cat, stdin: { user: ada, password: "\${ secrets.token }" } }
output: "\${ [steps.a.output.stdout, steps.b.output.stdout] }"
`,
      { secrets: () => "letmein-now" },
    );
    expect(await handle.result()).toEqual(["***", '{"user":"ada","password":"***"}']);
    const events = [...(await readEvents(handle, "step.started")), ...(await readEvents(handle, "step.completed"))];
    expect(JSON.stringify(events)).not.toContain("letmein");
  });
});

describe("CONTRACT-4 an option of commands", () => {
  it.each([
    ["cwd beside an agent", "agent: x, cwd: a", "KEYS_CONFLICT expected no `cwd` beside `agent`"],
    [
      "stdin beside a request",
      "http: 'https://example.com', stdin: a",
      "KEYS_CONFLICT expected no `stdin` beside `http`",
    ],
    ["cwd beside a wait", "wait: { for: 1s }, cwd: a", "KEYS_CONFLICT expected no `cwd` beside `wait`"],
    ["shell beside exec", "exec: [x], shell: bash", "KEYS_CONFLICT expected no `shell` beside `exec`"],
    [
      "shell in a compensation",
      "run: x, compensate: { agent: y, shell: bash }",
      "KEYS_CONFLICT expected no `shell` beside",
    ],
    ["a shell with a template", 'run: x, shell: "${ input.shell }"', "WRONG_VALUE expected plain text for the shell"],
    ["an empty list as a shell", "run: x, shell: []", "OUT_OF_RANGE expected a program such as `bash`"],
    ["a secret in cwd", 'run: x, cwd: "${ secrets.a }"', "SECRET_MISPLACED"],
    ["a secret inside text", 'run: x, stdin: "a ${ secrets.a }"', "SECRET_MISPLACED"],
  ])("is refused: %s", (_, keys, expected) => {
    expect(problems(one(keys))).toEqual([expect.stringContaining(expected)]);
  });

  it("CONTRACT-1 is written as it was loaded", () => {
    const yaml = one("run: x, cwd: y, shell: bash, stdin: { a: 1 }, compensate: { run: z, shell: [sh, -c], cwd: w }");
    const definition = loadContract(yaml);
    expect(definition.steps[0]).toMatchObject({ shell: ["bash", "-e", "-c", "--"] });
    expect(toYaml(definition)).toContain("shell: bash");
    expect(loadContract(toYaml(definition))).toEqual(definition);
  });
});

describe("CONTRACT-1 the options of commands in TypeScript", () => {
  it("are those of a contract", async () => {
    mkdirSync(fixture.current.path("inner"));
    const built = workflow("placed")
      .step(
        "script",
        shell('echo "$(basename "$PWD") $(cat) ${BASH_VERSION:+bash}"', {
          cwd: "inner",
          shell: "bash",
          stdin: { a: 1 },
        }),
      )
      .step("program", exec(["cat"], { stdin: "text" }))
      .output(({ outputs }) => [outputs.script.stdout, outputs.program.stdout]);
    const handle = await (await fixture.current.open()).start(built);
    expect(await handle.result()).toEqual(['inner {"a":1} bash', "text"]);
  });

  it("OPTION_INVALID refuses others", () => {
    expect(() => exec(["cat"], { shell: "bash" } as never)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
    expect(() => shell("cat", { shell: 3 as never })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
