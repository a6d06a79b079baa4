// `segno validate`, `plan` and `run` with ONEX contracts, as somebody types them.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runSegno, type SegnoRun } from "./run-segno.ts";

const EXAMPLES = ["examples/onex/data-processing.yaml", "examples/onex/etl.yaml"] as const;
let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "segno-onex-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const segno = (...words: readonly string[]): Promise<SegnoRun> => runSegno(words, { folder });
const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

/** A step by its number; a name of its own where one is given. */
function step(number: number, dependsOn: readonly number[], more = "", name = `s${number}`): string {
  const needs = dependsOn.map(id).join(", ");
  return `    - { step_id: ${id(number)}, step_name: ${JSON.stringify(name)}, step_type: compute, retry_count: 0, depends_on: [${needs}]${more} }`;
}

/** Its node notes every payload that it gets, and fails for steps that are called so. */
async function contract(
  file: string,
  mode: string,
  steps: readonly string[],
  agents = "agents: { NodeCompute: { module: ./node.mjs, export: NodeCompute } }",
): Promise<void> {
  const version = "{ major: 1, minor: 0, patch: 0 }";
  await writeFile(
    join(folder, file),
    `workflow_coordination:
  workflow_definition:
    version: ${version}
    workflow_metadata:
      { version: ${version}, workflow_name: w, workflow_version: ${version}, description: "", execution_mode: ${mode} }
    execution_graph: { version: ${version} }
  steps:
${steps.join("\n")}
segno: { ${agents} }
`,
  );
  await writeFile(
    join(folder, "node.mjs"),
    `import { appendFileSync } from "node:fs";
export const NodeCompute = (input) => {
  appendFileSync("${file}.log", JSON.stringify(input) + "\\n");
  if (input.step_name === "broken") throw new Error("it is broken");
};
`,
  );
}

interface Payload {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly step_name: string;
}

async function payloads(file: string): Promise<readonly Payload[]> {
  const text = await readFile(join(folder, `${file}.log`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Payload);
}

describe("the examples of ONEX", () => {
  it("CONTRACT-1 are valid", async () => {
    const run = await runSegno(["validate", ...EXAMPLES]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(
      /^ok \S+data-processing\.yaml data_processing_pipeline, 4 steps, .+\nok \S+etl\.yaml etl_pipeline, 5 steps/u,
    );
  });

  it("CONTRACT-10 are planned wave by wave, like native ones", async () => {
    const run = await runSegno(["plan", "examples/onex/etl.yaml"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^etl_pipeline 2\.1\.0 /u);
    expect(run.stdout).toMatch(
      /Wave 1\n.*extract_source_a +agent +NodeEffect\n[^]*Wave 2\n.*transform_merge +agent +NodeCompute\n[^]*Wave 3\n/u,
    );
    const json = await runSegno(["plan", "examples/onex/etl.yaml", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      workflow: "etl_pipeline",
      waves: [["extract_source_a", "extract_source_b", "extract_source_c"], ["transform_merge"], ["load_warehouse"]],
    });
  });

  it.each([
    [EXAMPLES[0], 'Persist Results: "saved {\\"city\\":\\"Lyon\\",\\"country\\":\\"France\\"}"'],
    [EXAMPLES[1], 'Load Warehouse: "5 rows loaded"'],
  ])("CONTRACT-1 %s runs, and its nodes do their work", async (file, line) => {
    const run = await runSegno(["run", file, "--db", join(folder, "examples.db")]);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain(line);
  });
});

describe("run", () => {
  it("ruling 3 PLAN-4 sequential is one at a time, wave by wave, and each node gets its action's payload", async () => {
    await contract("order.yaml", "sequential", [step(1, []), step(2, [1]), step(3, [], "", "${ secrets.x }")]);
    const { exitCode, stdout, stderr } = await segno("run", "order.yaml", "--json");
    expect(exitCode, stderr).toBe(0);
    const { id: execution } = JSON.parse(stdout) as { id: string };
    expect(await payloads("order.yaml")).toEqual([
      { workflow_id: execution, step_id: id(1), step_name: "s1" },
      { workflow_id: execution, step_id: id(3), step_name: "${ secrets.x }" },
      { workflow_id: execution, step_id: id(2), step_name: "s2" },
    ]);
  });

  it("PLAN-8 GRAPH-5 goes on after a step that lets the others go on, over a disabled one, and fails in the end", async () => {
    await contract("lenient.yaml", "sequential", [
      step(1, [], ", error_action: continue", "broken"),
      step(2, [1]),
      step(3, [], ", enabled: false"),
      step(4, [3]),
    ]);
    const { exitCode, stdout } = await segno("run", "lenient.yaml", "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "failed",
      steps: [
        { name: "broken", status: "failed" },
        { name: "s2", status: "skipped" },
        { name: "s3", status: "skipped" },
        { name: "s4", status: "succeeded" },
      ],
    });
  });

  it("PLAN-8 PLAN-11 stops at a step that may not fail", async () => {
    await contract("strict.yaml", "batch", [step(1, [], "", "broken"), step(2, []), step(3, [1])]);
    const run = await segno("run", "strict.yaml");
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await payloads("strict.yaml")).map(({ step_name: name }) => name)).toEqual(["broken"]);
    expect(run.stderr).toMatch(/✗ broken +failed[^]*- s2 +skipped[^]*- s3 +skipped/u);
  });

  it("FAIL-9 is parked where nobody is registered for a node, as a native contract is", async () => {
    await contract("nobody.yaml", "parallel", [step(1, [])], "");
    const run = await segno("run", "nobody.yaml");
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("parked: no agent or function is registered for `NodeCompute`");
  });
});

describe("validate, plan and graph", () => {
  it("CONTRACT-10 load nothing that the contract names", async () => {
    await contract("quiet.yaml", "parallel", [step(1, [])], "agents: { NodeCompute: { module: ./loud.mjs } }");
    await writeFile(
      join(folder, "loud.mjs"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync("loud.log", "");\n`,
    );
    for (const verb of ["validate", "plan", "graph"])
      expect(await segno(verb, "quiet.yaml")).toMatchObject({ exitCode: 0, stderr: "" });
    await expect(readFile(join(folder, "loud.log"))).rejects.toThrow("ENOENT");
  });
});

describe("a contract of ONEX that is wrong", () => {
  const STEPS = [
    step(1, [2]),
    step(2, [1]),
    step(3, [9]),
    step(3, [], ", timeout_ms: 99"),
    step(4, []).replace("compute", "conditional"),
  ];

  it.each([["validate"], ["plan"], ["run"]])(
    "CONTRACT-3 GRAPH-6 %s shows every problem, in the source's order, and ends with 3",
    async (verb) => {
      await contract("wrong.yaml", "streaming", STEPS);
      const run = await segno(verb, "wrong.yaml");
      expect(run).toMatchObject({ exitCode: 3, stdout: "" });
      expect(
        [...run.stderr.matchAll(/^wrong\.yaml:(\d+):\d+ ([A-Z_]+)$/gmu)].map(([, line, code]) => `${line} ${code}`),
      ).toEqual([
        "5 VALIDATION_ERROR",
        "11 OUT_OF_RANGE",
        "12 VALIDATION_ERROR",
        "10 UNKNOWN_DEPENDENCY",
        "11 DUPLICATE_STEP",
        "8 DEPENDENCY_CYCLE",
      ]);
      expect(run.stderr).toContain("wrong.yaml is invalid: 6 problems");
    },
  );

  it("CONTRACT-4 steps at the top are an error that says where they belong", async () => {
    await writeFile(join(folder, "misplaced.yaml"), "workflow_coordination: { workflow_definition: {} }\nsteps: []\n");
    const { exitCode, stdout } = await segno("validate", "misplaced.yaml", "--json");
    expect(exitCode).toBe(3);
    const { files } = JSON.parse(stdout) as { files: { problems: { code: string; line: number; hint?: string }[] }[] };
    expect(files[0]!.problems).toContainEqual(
      expect.objectContaining({ code: "UNKNOWN_KEY", line: 2, hint: "move it to `workflow_coordination.steps`" }),
    );
  });
});
