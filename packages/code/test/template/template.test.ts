import { compileDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { COMPILE_DEFAULTS, compileTemplate } from "../../src/template/compile-template.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { parseParameter } from "../../src/template/parameter-values.ts";
import type { CodeTemplate } from "../../src/template/template.ts";
import { mayOverlap } from "../../src/template/touched-files.ts";

const DIAMOND = `
name: diamond
description: A diamond of four tasks.
parameters:
  feature: { type: string }
  limit: { type: number, default: 3 }
  mode: { type: string, default: fast, enum: [fast, slow] }
policies: { step: checks, workflow: pr_and_notify, checks: [npm test] }
tasks:
  - id: model
    title: "Model of \${ params.feature }"
    instructions: "Write the model. Keep $\${HOME} as it is. At most \${ params.limit } fields."
    acceptanceCriteria: ["\${ params.feature } has a type"]
    context: { notes: ["for \${ params.feature }", 1] }
    touches: [src/model/**]
  - { id: api, instructions: the API, dependsOn: [model], priority: 5, touches: [src/api/**, docs/*.md] }
  - { id: page, instructions: the page, dependsOn: [model], touches: [docs/page.md], exclusive: true }
  - { id: tests, instructions: the tests, dependsOn: [api, page], deadline: 2h, type: test }
`;

const INVALID: readonly (readonly [string, string, string])[] = [
  ["a bad id", "name: x\ntasks:\n  - { id: ../x, instructions: y }\n", "3: expected an id"],
  ["a shell id", 'name: x\ntasks:\n  - { id: "$(id)", instructions: y }\n', "3: expected an id"],
  ["a lock id", "name: x\ntasks:\n  - { id: .lock, instructions: y }\n", "3: expected an id"],
  ["an unknown key", "name: x\ntasks:\n  - { id: a, instruction: y }\n", "did you mean|instruction"],
  ["no tasks", "name: x\ntasks: []\n", "2: expected a list of tasks"],
  [
    "an unknown dependency",
    "name: x\ntasks:\n  - { id: a, instructions: y, dependsOn: [b] }\n",
    "3: `a` depends on `b`",
  ],
  [
    "a cycle",
    "name: x\ntasks:\n  - { id: a, instructions: y, dependsOn: [b] }\n  - { id: b, instructions: y, dependsOn: [a] }\n",
    "wait for each other: a -> b -> a",
  ],
  ["an id twice", "name: x\ntasks:\n  - { id: a, instructions: y }\n  - { id: a, instructions: y }\n", "4: the id `a`"],
  [
    "an unknown parameter",
    'name: x\ntasks:\n  - { id: a, instructions: "${ params.b }" }\n',
    "3: the template has no parameter `b`",
  ],
  ["an expression", 'name: x\ntasks:\n  - { id: a, instructions: "${ input.b }" }\n', "3: expected `${ params.name }`"],
  ["an open brace", 'name: x\ntasks:\n  - { id: a, instructions: "${ params.b" }\n', "3: expected `${ params.name }`"],
  [
    "a parameter in a command of a task",
    "name: x\nparameters: { b: { type: string } }\ntasks:\n  - { id: a, instructions: y, checks: ['echo ${ params.b }'] }\n",
    'a shell could run the value; use `"$SEGNO_PARAM_b"`',
  ],
  [
    "a parameter in a command of the policies",
    "name: x\nparameters: { b: { type: string } }\npolicies: { checks: ['echo ${ params.b }'] }\ntasks: [{ id: a, instructions: y }]\n",
    "3: `${ params.b }` is not replaced in a command",
  ],
  [
    "a parameter in the set-up",
    "name: x\nparameters: { b: { type: string } }\nsetup: ['echo ${ params.b }']\ntasks: [{ id: a, instructions: y }]\n",
    "3: `${ params.b }` is not replaced in a command",
  ],
  [
    "a parameter in a pattern of paths",
    "name: x\nparameters: { b: { type: string } }\ntasks:\n  - { id: a, instructions: y, touches: ['${ params.b }'] }\n",
    "4: `${ params.b }` is not replaced here",
  ],
  [
    "a default with a NUL character",
    'name: x\nparameters: { b: { type: string, default: "a\\0" } }\ntasks: [{ id: a, instructions: y }]\n',
    "2: expected text without NUL characters",
  ],
  [
    "a default of the wrong type",
    "name: x\nparameters: { b: { type: number, default: y } }\ntasks: [{ id: a, instructions: y }]\n",
    "2: expected a number",
  ],
  [
    "an impossible date",
    "name: x\ntasks:\n  - { id: a, instructions: y, deadline: 2026-13-01 }\n",
    "3: expected a date",
  ],
  ["a bad duration", "name: x\ntasks:\n  - { id: a, instructions: y, deadline: soon }\n", "3: expected a date"],
  [
    "an unknown policy",
    "name: x\npolicies: { step: yolo }\ntasks: [{ id: a, instructions: y }]\n",
    "2: expected `auto`",
  ],
];

function load(text: string): CodeTemplate {
  return loadTemplate({ text, file: "template.yaml" });
}

function problems(text: string): readonly string[] {
  try {
    load(text);
  } catch (error) {
    return (error as { problems: readonly { line: number; message: string }[] }).problems.map(
      ({ line, message }) => `${line}: ${message}`,
    );
  }
  return [];
}

describe("a template", () => {
  it("CODE-2 has defaults for everything but the id and the instructions of a task", () => {
    const { tasks } = load("name: small\ntasks: [{ id: a, instructions: do it }]\n");
    expect(tasks).toEqual([
      {
        id: "a",
        title: "a",
        instructions: "do it",
        acceptanceCriteria: [],
        dependsOn: [],
        context: {},
        priority: 0,
        type: "task",
        touches: [],
        exclusive: false,
      },
    ]);
  });

  it("CODE-2 TEMPLATE_INVALID is the code of an unknown parameter in a text", () => {
    const text = 'name: x\ntasks:\n  - { id: a, instructions: "${ params.b }" }\n';
    expect(() => load(text)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ code: "TEMPLATE_INVALID" })] }),
    );
  });

  it.each(INVALID)("CODE-2 with %s is refused at its line", (_, text, message) => {
    expect(problems(text).join("\n")).toMatch(new RegExp(message.replaceAll(/[.*+?^${}()[\]\\]/gu, "\\$&"), "u"));
  });
});

describe("parameters", () => {
  it("CODE-2 are put into titles, instructions, criteria and context", () => {
    const { tasks, parameters } = bindTemplate(load(DIAMOND), { feature: "cart" });
    expect(parameters).toEqual({ feature: "cart", limit: 3, mode: "fast" });
    expect(tasks["model"]).toMatchObject({
      title: "Model of cart",
      instructions: "Write the model. Keep ${HOME} as it is. At most 3 fields.",
      acceptanceCriteria: ["cart has a type"],
      context: { notes: ["for cart", 1] },
    });
  });

  it("CODE-2 are data: a value that looks like a parameter stays as it is", () => {
    const { tasks } = bindTemplate(load(DIAMOND), { feature: "${ params.limit } $& $1" });
    expect(tasks["model"]!.title).toBe("Model of ${ params.limit } $& $1");
  });

  it("CODE-2 are refused together, before anything is created", () => {
    expect(() => bindTemplate(load(DIAMOND), { limit: "3", mode: "medium", featur: "x" })).toThrow(
      /no parameter `featur`; did you mean `feature`\?; the parameter `feature` is missing; `limit`: expected a number, found "3"; `mode`: expected one of "fast", "slow"/u,
    );
    expect(() => bindTemplate(load(DIAMOND), { ["toString"]: "x", feature: "a" })).toThrow(/no parameter `toString`/u);
  });

  it("CODE-2 are read from text as their type", () => {
    expect(parseParameter({ type: "number" }, "1.5")).toBe(1.5);
    expect(parseParameter({ type: "boolean" }, "true")).toBe(true);
    expect(parseParameter({ type: "string" }, "1.5")).toBe("1.5");
    expect(parseParameter({ type: "number" }, "")).toBe("");
  });
});

describe("the definition of a template", () => {
  it("CODE-1 has a session and a merge for each task, and dependants wait for merges", () => {
    const definition = compileTemplate(load(DIAMOND));
    expect(compileDefinition(definition).kind).toBe("program");
    expect(definition.steps.map(({ id }) => id)).toEqual([
      "prepare",
      ...["model", "api", "page", "tests"].flatMap((task) => [`session-${task}`, `merge-${task}`]),
      "more-tasks",
      "land",
    ]);
    const session = definition.steps.find(({ id }) => id === "session-tests")!;
    expect(session.dependsOn!.map(({ step }) => step)).toEqual(["prepare", "merge-api", "merge-page"]);
  });

  it("CODE-5 merges take turns, and a task that runs alone takes every place", () => {
    const { resources, steps } = compileTemplate(load(DIAMOND));
    expect(resources).toMatchObject({ sessions: { capacity: 4 }, merges: { capacity: 1 }, landings: { capacity: 1 } });
    const places = (id: string): unknown => steps.find((step) => step.id === id)!.resources;
    expect(places("session-page")).toMatchObject({ sessions: 4 });
    expect(places("session-model")).toMatchObject({ sessions: 1 });
    expect(places("merge-api")).toEqual({ merges: 1 });
  });

  it("CODE-5 merges into other branches, and into branches of other repositories, have turns of their own", () => {
    const names = (repository: string, workflowBranch: string, baseBranch = "main"): readonly string[] => {
      const targets = { repository, workflowBranch, baseBranch };
      const { steps } = compileTemplate(load(DIAMOND), COMPILE_DEFAULTS, targets);
      return ["merge-api", "land"].flatMap((id) => Object.keys(steps.find((step) => step.id === id)!.resources!));
    };
    const [tasks, landing] = names("/a/.git", "workflow/x");
    expect(tasks).toMatch(/^merges-workflow-x-[0-9a-f]{16}$/u);
    expect(names("/a/.git", "workflow/y")).toEqual([expect.not.stringMatching(tasks!), landing]);
    expect(names("/a/.git", "workflow/x", "next")).toEqual([tasks, expect.not.stringMatching(landing!)]);
    expect(names("/b/.git", "workflow/x")).not.toEqual(expect.arrayContaining([tasks]));
    expect(names("/b/.git", "workflow/x")).not.toEqual(expect.arrayContaining([landing]));
  });

  it("BEYOND-5 of two tasks that touch the same files, the later one waits for the merge of the other", () => {
    const { steps } = compileTemplate(load(DIAMOND));
    const waits = (id: string): unknown => steps.find((step) => step.id === id)!.dependsOn;
    expect(waits("session-page")).toContainEqual({ step: "merge-api", on: "settled" });
    expect(waits("session-api")).not.toContainEqual({ step: "merge-page", on: "settled" });
  });

  it("BEYOND-5 tasks that touch the same files never close a cycle with dependencies and priorities", () => {
    const tasks = [
      "{ id: a, instructions: a, touches: [x], dependsOn: [d] }",
      "{ id: b, instructions: b, touches: [x, y], priority: 5 }",
      "{ id: c, instructions: c, touches: [y], priority: 9, dependsOn: [a] }",
      "{ id: d, instructions: d, touches: [y] }",
    ];
    const template = load(`name: knot\ntasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`);
    for (const hasPriorities of [true, false])
      expect(compileDefinition(compileTemplate(template, { ...COMPILE_DEFAULTS, hasPriorities })).kind).toBe("program");
  });

  it("CODE-1 is the same for all parameters, and one place is left in sequence", () => {
    const template = load(DIAMOND);
    expect(compileTemplate(template)).toEqual(compileTemplate(template));
    const { resources } = compileTemplate(template, { ...COMPILE_DEFAULTS, mode: "sequential" });
    expect(resources!["sessions"]).toMatchObject({ capacity: 1 });
  });
});

describe("patterns of files", () => {
  it.each([
    ["src/a/**", "src/b/**", false],
    ["src/a/**", "src/a/x.ts", true],
    ["src/**", "src/b/c.ts", true],
    ["**/*.md", "src/a.ts", true],
    ["./src/a.ts", "src/a.ts", true],
    ["src/a.ts", "src/ab.ts", false],
    ["src", "src/a.ts", true],
  ])("BEYOND-5 %s and %s overlap: %s", (left, right, overlap) => {
    expect([mayOverlap(left, right), mayOverlap(right, left)]).toEqual([overlap, overlap]);
  });

  it("CODE-12 takes agents of three kinds, each with the time after which a silent one is ended", () => {
    const { agents } = loadTemplate({
      text: `name: x
agents:
  one: { preset: claude, stall: 10m }
  two: { command: [node, agent.mjs] }
  three: { acp: [gemini, --acp], env: { A: b }, stall: 1s }
tasks: [{ id: a, instructions: a }]
`,
    });
    expect(agents).toEqual({
      one: { preset: "claude", stallMs: 600_000 },
      two: { command: ["node", "agent.mjs"] },
      three: { acp: ["gemini", "--acp"], env: { A: "b" }, stallMs: 1000 },
    });
  });

  it.each(["{ acp: [x], command: [y] }", "{ preset: codex, acp: [x] }", "{ env: { A: b } }"])(
    "CODE-12 refuses the agent %s",
    (agent) => {
      const text = `name: x\nagents: { one: ${agent} }\ntasks: [{ id: a, instructions: a }]\n`;
      expect(() => loadTemplate({ text })).toThrow(/exactly one of `preset`, `command` and `acp`/u);
    },
  );
});
