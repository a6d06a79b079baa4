// Completion as shells do it. bash is asked for real, also at a prompt; zsh and fish where they are installed.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { SHELL_SCRIPTS } from "../src/completion/shell-scripts.ts";
import { hasScript } from "./pseudo-terminal.ts";
import { COMMAND } from "./run-segno.ts";
import { CommandFixture } from "./command-fixture.ts";

/** By name, as they need not be there. */
const SCRIPT = "script";
const FISH = "fish";

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  for (const [file, id] of [
    ["quick.yaml", "first-one"],
    ["failing.yaml", "$(touch owned)"],
    ["quick.yaml", "newest"],
  ] as const)
    await shop.run(["run", file, "--id", id, "--quiet"]);
  mkdirSync(shop.path("bin"));
  writeFileSync(shop.path("bin/segno"), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
  chmodSync(shop.path("bin/segno"), 0o755);
});
afterAll(() => shop[Symbol.asyncDispose]());

const environment = (): Record<string, string> => ({
  PATH: `${shop.path("bin")}:${process.env["PATH"]}`,
  TERM: "dumb",
});
const installed = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const run = await shop.run(["complete", "--", ...words]);
  expect(run).toMatchObject({ exitCode: 0, stderr: "" });
  return run.stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));
}

describe("complete", () => {
  it("offers every verb that help shows, and no other", async () => {
    const { stdout } = await shop.run(["--help"]);
    const shown = [...stdout.split("\nExamples:")[0]!.matchAll(/^ {2}([a-z]+)(?: .*)?$/gmu)].map(
      ([, verb = ""]) => verb,
    );
    const verbs = await completed("");
    expect(verbs.toSorted()).toEqual([...new Set(shown)].toSorted());
    expect(verbs).toEqual(expect.arrayContaining(["run", "db", "init", "doctor", "completions"]));
    expect(verbs).not.toContain("complete");
  });

  it("offers executions, the newest first, and only ids that no shell takes apart", async () => {
    expect(await completed("show", "")).toEqual(["@last", "newest", "first-one"]);
    expect(await completed("show", "f")).toEqual(["first-one"]);
    expect(await completed("db", "export", "@")).toEqual(["@last"]);
  });

  it("offers them while another process works on the journal", async () => {
    const working = shop.start(["work"]);
    await working.reports(/waiting/u);
    expect(await completed("cancel", "n")).toEqual(["newest"]);
    working.send("SIGINT");
    await working.ended;
  });

  it("offers the steps of the execution that was named", async () => {
    expect(await completed("logs", "@last", "")).toEqual(["first", "second"]);
    expect(await completed("show", "@last", "")).toEqual(["first", "second"]);
    expect(await completed("why", "newe", "s")).toEqual(["second"]);
    expect(await completed("why", "nobody", "")).toEqual([]);
  });

  it("leaves files to the shell for run, validate and plan", async () => {
    for (const verb of ["run", "validate", "plan"]) expect(await completed(verb, "")).toEqual([":files"]);
  });

  it("says nothing where it knows nothing, whatever is wrong", async () => {
    writeFileSync(shop.path("text.db"), "this is no database\n".repeat(200));
    for (const db of ["missing.db", "text.db", "."]) expect(await completed("show", "--db", db, "")).toEqual([]);
    expect(await completed("--unheard", "of", "-x")).toEqual([]);
    expect(await completed()).toContain("run");
  });

  it("loads no engine", async () => {
    const spy = `import { registerHooks } from "node:module";
      const seen = [];
      registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
      process.on("exit", () => process.stderr.write(seen.join("\\n")));`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`;
    const run = await shop.run(["complete", "--", "show", ""], { environment: { NODE_OPTIONS } });
    expect(run.stdout).toContain("newest");
    expect(run.stderr).toContain("segno.js");
    expect(run.stderr).not.toMatch(/packages\/kernel\/|packages\/contract\/src\/(?!node-version)|engine\/src\/engine/u);
  });
});

/** The replacement that bash makes for the last word of a line. */
function bashReplies(line: string, word: string): readonly string[] {
  const script = `source <(segno completions bash); COMP_LINE=$1; COMP_POINT=\${#1}; _segno segno "$2"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", script, "bash", line, word], { cwd: shop.folder, env: environment() });
  return stdout
    .toString()
    .split("\n")
    .filter((each) => each !== "");
}

describe.skipIf(!installed("bash"))("bash", () => {
  it.each([
    ["segno sh", "sh", ["show"]],
    ["segno show @l", "@l", ["@last"]],
    ["segno graph quick.yaml --format=sv", "sv", ["svg"]],
    ["segno plan --input '{\"a\": 1}' --js", "--js", ["--json"]],
    ["TZ=UTC segno logs newest f", "f", ["first"]],
    ["segno list '$(touch owned)", "$(touch owned)", []],
  ])("%s", (line, word, replies) => {
    expect(bashReplies(line, word)).toEqual(replies);
    expect(spawnSync("ls", [shop.folder]).stdout.toString()).not.toContain("owned");
  });

  // Left out where `script` of util-linux is missing: Node has no pseudo-terminal of its own.
  it.skipIf(!hasScript)("completes at a prompt", async () => {
    const bash = spawn(SCRIPT, ["-qec", "bash --norc --noprofile -i", "/dev/null"], {
      cwd: shop.folder,
      env: { ...environment(), PS1: "> ", SHELL: "/bin/sh" },
    });
    let output = "";
    bash.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const shows = async (text: string): Promise<void> => {
      while (!output.includes(text)) await new Promise((resolve) => bash.stdout.once("data", resolve));
    };
    bash.stdin.write("source <(segno completions bash); echo rea''dy\n");
    await shows("ready");
    for (const [typed, shown] of [
      ["segno show @l", "segno show @last "],
      ["segno graph quick.yaml --format=sv", "--format=svg "],
      ["segno run qui", "segno run quick.yaml "],
      ["segno why newest sec", "segno why newest second "],
      ["segno init bi", "segno init bin/"],
    ] as const) {
      bash.stdin.write(`\u0015${typed}\t`);
      await shows(shown);
    }
    bash.stdin.end("\u0015exit\n");
    await new Promise((resolve) => bash.once("close", resolve));
  });
});

describe("zsh", () => {
  // `bash -n` knows the same words and brackets; what only zsh has stands inside of expansions, which it skips.
  it.skipIf(!installed("bash"))("its script is well-formed, as far as bash can tell", () => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: SHELL_SCRIPTS.zsh });
    expect([status, stderr.toString()]).toEqual([0, ""]);
    expect(spawnSync("bash", ["-n"], { input: SHELL_SCRIPTS.zsh.replace("  done\n", "") }).status).not.toBe(0);
  });

  it.skipIf(!installed("zsh"))("zsh itself reads it (left out where zsh is not installed)", () => {
    const { status, stderr } = spawnSync("zsh", ["-n"], { input: SHELL_SCRIPTS.zsh });
    expect([status, stderr.toString()]).toEqual([0, ""]);
  });
});

/** How deep the blocks of a fish script are at its end, and whether a quote or bracket is open in a line. */
function fishTrouble(script: string): readonly string[] {
  const lines = script.split("\n").map((line) => line.replace(/^\s*#.*$/u, "").trim());
  const opened = lines.filter((line) => /^(?:function|for|switch|if|while|begin)\b/u.test(line)).length;
  const closed = lines.filter((line) => line === "end").length;
  const torn = lines.filter((line) => {
    const bare = line.replaceAll(/'[^']*'|"[^"]*"/gu, "");
    return /['"]/u.test(bare) || bare.split("(").length !== bare.split(")").length;
  });
  return [...(opened === closed ? [] : [`${opened} blocks and ${closed} ends`]), ...torn];
}

describe("fish", () => {
  it("its script has an end for each block and closes what it opens", () => {
    expect(fishTrouble(SHELL_SCRIPTS.fish)).toEqual([]);
    expect(fishTrouble(SHELL_SCRIPTS.fish.replace("\nend", ""))).toEqual(["3 blocks and 2 ends"]);
    expect(fishTrouble("set -l x (a")).toEqual(["set -l x (a"]);
  });

  it.skipIf(!installed(FISH))("fish itself completes by it (left out where fish is not installed)", () => {
    const ask = `segno completions fish | source; complete -C "segno show @l"`;
    const { stdout } = spawnSync(FISH, ["--no-config", "-c", ask], { cwd: shop.folder, env: environment() });
    expect(stdout.toString()).toContain("@last\tthe newest: quick");
  });
});
