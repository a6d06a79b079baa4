// Files that steps keep: found by patterns, stored by content hash beside the journal, and given to dependants (DATA-13).

import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadContract } from "@segno/contract";
import { describe, expect, it } from "vitest";
import { Engine, exec, shell, workflow, type ExecutionHandle, type ReceivedArtifact } from "../../src/index.ts";
import { contract, ending, findStep, useFixture } from "./fixture.ts";

const fixture = useFixture();

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** All files below the folder of artifacts, without the notes of ids. */
function storedFiles(): readonly string[] {
  const folder = `${fixture.current.file}-artifacts`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && entry.name !== "execution" ? [entry.name] : [],
  );
}

async function failure(handle: ExecutionHandle<unknown>, step = "a"): Promise<unknown> {
  expect(await ending(handle)).toBe("failed");
  const { detail } = await findStep(handle, step);
  return detail.kind === "failure" ? detail.failure : undefined;
}

const one = (script: string, artifacts: string, more = ""): string =>
  `name: one\nsteps:\n  - { id: a, run: ${JSON.stringify(script)}, artifacts: ${artifacts}${more} }\n`;

const PIPELINE = `
name: pipeline
steps:
  - id: build
    run: mkdir -p out/dist/sub; cd out; printf app > dist/app.tgz; printf map > dist/sub/app.map; printf no > other
    artifacts: [out/dist, "out/*.log"]
  - id: report
    run: printf report > "out-$NAME.txt"
    env: { NAME: "\${ input.name }" }
    artifacts: ["out-*.txt"]
`;

describe("DATA-13 the artifacts of a step", () => {
  it("are the files that match its patterns below its working directory, by content hash", async () => {
    mkdirSync(fixture.current.path("out"), { recursive: true });
    fixture.current.write("out/x.log", "log");
    const handle = await fixture.current.start(PIPELINE, {}, { name: "one" });
    await handle.result();
    expect(await handle.artifacts()).toEqual([
      { step: "build", path: "out/dist/app.tgz", hash: sha256("app"), bytes: 3 },
      { step: "build", path: "out/dist/sub/app.map", hash: sha256("map"), bytes: 3 },
      { step: "build", path: "out/x.log", hash: sha256("log"), bytes: 3 },
      { step: "report", path: "out-one.txt", hash: sha256("report"), bytes: 6 },
    ]);
    expect((await handle.artifacts("report")).map(({ path }) => path)).toEqual(["out-one.txt"]);
    expect(storedFiles().toSorted()).toEqual(["app", "map", "log", "report"].map(sha256).toSorted());
  });

  it("are relative to `cwd`, and stay when the files of the step change", async () => {
    mkdirSync(fixture.current.path("inner"));
    const handle = await fixture.current.start(one("printf first > result", "[result]", ", cwd: inner"));
    await handle.result();
    fixture.current.write("inner/result", "changed");
    await handle.copyArtifact("a", "result", fixture.current.path("fetched"));
    expect(fixture.current.text("fetched")).toBe("first");
    await expect(handle.copyArtifact("a", "other", fixture.current.path("x"))).rejects.toMatchObject({
      code: "ARTIFACT_NOT_FOUND",
    });
  });

  it("are known to another process that only reads", async () => {
    const handle = await fixture.current.start(one("printf kept > result", "[result]"));
    await handle.result();
    await fixture.current.closeEngines();
    await using reader = await Engine.open({ file: fixture.current.file, mode: "readOnly" });
    const same = await reader.get(handle.id);
    expect(await same.artifacts("a")).toMatchObject([{ path: "result" }]);
    await same.copyArtifact("a", "result", fixture.current.path("fetched"));
    expect(fixture.current.text("fetched")).toBe("kept");
  });
});

describe("DATA-13 a step whose artifacts cannot be kept fails", () => {
  it("ARTIFACT_NOT_FOUND if no file matches a pattern", async () => {
    expect(await failure(await fixture.current.start(one("touch x", "[x, 'dist/*']")))).toMatchObject({
      class: "permanent",
      code: "ARTIFACT_NOT_FOUND",
      message: expect.stringContaining("`dist/*`"),
    });
  });

  it("ARTIFACT_REFUSED if a match is a link, or leads through one", async () => {
    fixture.current.write("secret", "secret");
    symlinkSync(fixture.current.path("secret"), fixture.current.path("link"));
    const code = { code: "ARTIFACT_REFUSED" };
    expect(await failure(await fixture.current.start(one("true", "[link]")))).toMatchObject(code);
    mkdirSync(fixture.current.path("real"));
    fixture.current.write("real/file", "x");
    symlinkSync(fixture.current.path("real"), fixture.current.path("folder"));
    expect(await failure(await fixture.current.start(one("true", "[folder/file]")))).toMatchObject(code);
    expect(storedFiles()).toEqual([]);
  });

  it("ARTIFACT_TOO_LARGE if there are too many files or bytes", async () => {
    const script = "printf 12345 > a.txt; printf 12345 > b.txt";
    const limited = async (limits: object): Promise<unknown> => {
      const found = await failure(await fixture.current.start(one(script, "['*.txt']"), { limits }));
      await fixture.current.closeEngines();
      return found;
    };
    expect(await limited({ artifactFiles: 1 })).toMatchObject({ code: "ARTIFACT_TOO_LARGE" });
    expect(await limited({ artifactBytes: 9 })).toMatchObject({ code: "ARTIFACT_TOO_LARGE" });
    const handle = await fixture.current.start(one(script, "['*.txt']"), {
      limits: { artifactBytes: 10, artifactFiles: 2 },
    });
    await handle.result();
  });

  it("ARTIFACT_NOT_KEPT and is tried again if the system cannot store a file", async () => {
    fixture.current.write("journal.db-artifacts", "a file in the place of the folder");
    const handle = await fixture.current.start(one("printf x > x", "[x]", ", retry: { attempts: 2, base: 1ms }"));
    expect(await failure(handle)).toMatchObject({ class: "transient", code: "ARTIFACT_NOT_KEPT" });
    expect((await findStep(handle, "a")).attempts).toBe(2);
  });

  it("keeps nothing of a step that fails itself", async () => {
    await failure(await fixture.current.start(one("printf x > x; exit 3", "[x]")));
    expect(storedFiles()).toEqual([]);
  });
});

describe("CONTRACT-4 a pattern of artifacts", () => {
  const problems = (yaml: string): readonly string[] => {
    try {
      loadContract(yaml);
      return [];
    } catch (error) {
      return (error as { problems: readonly { code: string; message: string }[] }).problems.map(({ code }) => code);
    }
  };

  it.each(["[/etc/passwd]", "['../x']", "['a/../../x']", "['${ input.x }']", "[]", "['']", "[3]"])(
    "%s is refused",
    (list) => {
      expect(problems(one("true", list))).toHaveLength(1);
    },
  );

  it("is refused beside steps that run nothing here, and accepted with dots in names", () => {
    expect(problems("name: x\nsteps: [{ id: a, wait: { for: 1s }, artifacts: [x] }]\n")).toEqual(["KEYS_CONFLICT"]);
    expect(problems("name: x\nsteps: [{ id: a, http: 'https://example.com', artifacts: [x] }]\n")).toEqual([
      "KEYS_CONFLICT",
    ]);
    expect(problems(one("true", "['a..b', '.cache/**', '..hidden']"))).toEqual([]);
  });
});

describe("DATA-13 dependants get the artifacts", () => {
  it("in expressions, and as read-only copies in the folder SEGNO_ARTIFACTS", async () => {
    const handle = await fixture.current.start(`
name: given
steps:
  - { id: build, run: "mkdir -p d; printf hello > d/app", artifacts: [d/app] }
  - id: use
    run: 'cat "$SEGNO_ARTIFACTS/build/d/app"; echo " $(stat -c %a "$SEGNO_ARTIFACTS/build/d/app") $HASH"; echo "$SEGNO_ARTIFACTS" > folder'
    env: { HASH: "\${ steps.build.artifacts[0].hash }" }
    dependsOn: [build]
  - { id: none, run: 'echo "\${SEGNO_ARTIFACTS:-none}"' }
  - { id: skipped, run: "exit 1", when: "length(steps.none.artifacts) > \`0\`", dependsOn: [none] }
output: "\${ [steps.use.output.stdout, steps.none.output.stdout, steps.build.artifacts[0].path] }"
`);
    expect(await handle.result()).toEqual([`hello 444 ${sha256("hello")}`, "none", "d/app"]);
    const folder = fixture.current.text("folder").trim();
    expect(folder).not.toBe("");
    await fixture.current.closeEngines();
    expect(existsSync(folder)).toBe(false);
  });

  it("of all items of a map, below the index of each item", async () => {
    const handle = await fixture.current.start(`
name: matrix
steps:
  - id: test
    map:
      over: { os: [linux, mac] }
      steps: [{ id: run, run: 'mkdir -p "r-$OS"; printf "$OS" > "r-$OS/report"', env: { OS: "\${ item.os }" }, artifacts: ["r-*/report"] }]
      concurrency: 1
  - { id: all, run: 'cd "$SEGNO_ARTIFACTS"; find . -type f | sort', dependsOn: [test] }
output: \${ steps.all.output.stdout }
`);
    expect(await handle.result()).toBe("./test/0/r-linux/report\n./test/1/r-linux/report\n./test/1/r-mac/report");
    expect((await handle.artifacts("test")).map(({ step }) => step)).toEqual(["test/0", "test/1", "test/1"]);
  });
});

describe("DATA-13 copies of artifacts", () => {
  it("that a killed process left are removed when the next owner opens the store, and no links are followed", async () => {
    const tmp = join(`${fixture.current.file}-artifacts`, "tmp");
    await fixture.current.open();
    const left = join(tmp, "killed", "attempt");
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, "app"), "copy");
    mkdirSync(fixture.current.path("precious/folder"), { recursive: true });
    symlinkSync(fixture.current.path("precious"), join(tmp, "link"));
    symlinkSync(fixture.current.path("precious"), join(left, "link"));
    await fixture.current.open();
    expect(existsSync(left)).toBe(true);
    await fixture.current.closeEngines();
    await fixture.current.open();
    expect(readdirSync(tmp)).toEqual(["link"]);
    expect(fixture.current.has("precious/folder")).toBe(true);
  });

  it("JOURNAL-3 a close with `drainMs` waits for an attempt whose files are being copied or kept", async () => {
    const engine = await fixture.current.open();
    const yaml = `
name: drained
steps:
  - { id: build, run: "printf app > app", artifacts: [app] }
  - { id: use, run: 'cat "$SEGNO_ARTIFACTS/build/app" > used', artifacts: [used], dependsOn: [build] }
`;
    const handle = await engine.start(contract(yaml));
    for await (const { kind, step } of handle.events()) if (kind === "step.started" && step === "use") break;
    await engine.close({ drainMs: 60_000 });
    const read = await fixture.current.open({ mode: "readOnly" });
    const { steps } = await (await read.get(handle.id)).status();
    expect(steps.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["succeeded", 1],
      ["succeeded", 1],
    ]);
  });
});

describe("DATA-13 artifacts of dependencies", () => {
  it("are files of the context in TypeScript", async () => {
    const built = workflow("typed")
      .step("build", { artifacts: ["made"] }, shell("printf made > made"))
      .step("make", { artifacts: ["own"] }, () => {
        writeFileSync(fixture.current.path("own"), "own");
        return 1;
      })
      .step("use", { dependsOn: ["build", "make"] }, ({ artifacts }) =>
        Object.entries(artifacts).map(([step, files]) => [
          step,
          readFileSync((files[0] as ReceivedArtifact).file, "utf8"),
        ]),
      )
      .step("command", { dependsOn: ["make"] }, exec(["ls", "${ steps.make.artifacts[0].path }"]))
      .output(({ outputs }) => [outputs.use, outputs.command.stdout]);
    const handle = await (await fixture.current.open()).start(built);
    expect(await handle.result()).toEqual([
      [
        ["build", "made"],
        ["make", "own"],
      ],
      "own",
    ]);
  });

  it("ARTIFACT_DAMAGED fails a dependant if a stored file was changed", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(`
name: damaged
steps:
  - { id: build, run: "printf good > app", artifacts: [app] }
  - { id: gate, wait: { signal: go }, dependsOn: [build] }
  - { id: a, run: "true", dependsOn: [build, gate] }
`),
    );
    for await (const { kind } of handle.events()) if (kind === "step.suspended") break;
    const [name] = storedFiles();
    const file = readdirSync(`${fixture.current.file}-artifacts`, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(name!),
    )!;
    const stored = join(`${fixture.current.file}-artifacts`, file);
    chmodSync(stored, 0o600);
    writeFileSync(stored, "evil");
    await handle.signal("go");
    expect(await failure(handle)).toMatchObject({ class: "permanent", code: "ARTIFACT_DAMAGED" });
    expect(await engine.verify(handle.id)).toMatchObject({ ok: false, findings: [{ code: "ARTIFACT_DAMAGED" }] });
    rmSync(stored);
    expect(await engine.verify(handle.id)).toMatchObject({
      findings: [{ code: "ARTIFACT_DAMAGED", message: "the artifact `app` of `build` does not exist" }],
    });
  });
});

describe("JOURNAL-7 DATA-13 artifacts are removed", () => {
  it("with their execution, and with its payloads", async () => {
    const engine = await fixture.current.open();
    const [first, second] = await Promise.all(
      ["one", "two"].map(async (name) =>
        engine.start(contract(PIPELINE.replace(/ {2}- id: build[\s\S]*? {2}- id: report/u, "  - id: report")), {
          name,
        }),
      ),
    );
    await Promise.all([first!.result(), second!.result()]);
    expect(storedFiles().length).toBeGreaterThanOrEqual(2);
    await engine.remove(first!.id);
    await engine.removePayloads(second!.id);
    expect(storedFiles()).toEqual([]);
    expect(await engine.verify(second!.id)).toMatchObject({ ok: true });
    await expect(second!.copyArtifact("report", "out-two.txt", fixture.current.path("x"))).rejects.toMatchObject({
      code: "PAYLOAD_REMOVED",
    });
  });

  it("from a temporary folder when an engine without a file is closed", async () => {
    const engine = await Engine.open({ store: "none", cwd: fixture.current.folder });
    const handle = await engine.start(
      contract(`
name: brief
steps:
  - { id: build, run: "printf x > app", artifacts: [app] }
  - { id: use, run: 'dirname "$(dirname "$(dirname "$SEGNO_ARTIFACTS")")"', dependsOn: [build] }
output: \${ steps.use.output.stdout }
`),
    );
    const folder = String(await handle.result());
    expect(folder).toContain("segno-artifacts-");
    await engine.close();
    expect(existsSync(folder)).toBe(false);
  });
});
