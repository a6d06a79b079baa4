// Values inside code that `exec` passes to a shell or an interpreter.

import { expect, it } from "vitest";
import { problemPaths, problems, step } from "../../test/properties/written-steps.ts";

const V = "${ input.v }";
const exec = (argv: readonly string[]) => step("a", { action: { kind: "exec", argv } });

it("DATA-7 SCRIPT_TEMPLATE a value inside the code of `sh -c` is refused, with the ways that are safe", () => {
  expect(problems([exec(["sh", "-c", `echo ${V}`])])).toEqual([
    'SCRIPT_TEMPLATE steps[0].action.argv[2]: `input.v` is inside a script => pass the value by `env` and read it there, or as a further argument: `[sh, -c, \'echo "$1"\', sh, "${ … }"]`',
  ]);
  const compensate = { action: { kind: "exec", argv: ["sh", "-c", V] } } as const;
  expect(problemPaths([step("a", { compensate })])).toEqual(["SCRIPT_TEMPLATE steps[0].compensate.action.argv[2]"]);
});

it.each([
  ["/bin/bash", "-lc", V],
  ["bash", "-euo", "pipefail", "-c", `x ${V}`],
  ["dash", "-c", "-e", V],
  ["fish", `--command=${V}`],
  ["env", "A=b", "-i", "sh", "-c", V],
  ["sudo", "-u", "root", "zsh", "-c", V],
  ["busybox", "sh", "-c", V],
  ["C:\\Windows\\System32\\CMD.EXE", "/d", "/s", "/c", "echo", V],
  ["cmd", `/cecho ${V}`],
  ["pwsh", "-NoProfile", "-Command", "echo", V],
  ["powershell.exe", "-ExecutionPolicy", "Bypass", "-c", V],
  ["node", "--require", "x", "-e", `f('${V}')`],
  ["node", `--eval=f('${V}')`],
  ["bun", "-e", V],
  ["deno", "eval", V],
  ["python3.12", "-W", "ignore", "-c", V],
  ["python", `-cprint('${V}')`],
  ["perl", "-lane", V],
  ["ruby", "-e", "a", "-e", V],
  ["php", "-r", V],
])("DATA-7 %s %s … with a value in its code is refused", (...argv) => {
  expect(problemPaths([exec(argv)]).map((place) => place.split(" ")[0])).toEqual(["SCRIPT_TEMPLATE"]);
});

it.each([
  ["sh", "-c", 'echo "$1"', "sh", V],
  ["sh", "-c", 'echo "$0"', V],
  ["sh", "script.sh", "-c", V],
  ["bash", "-eu", "script.sh", V],
  ["node", "-e", "f(process.argv[1])", V],
  ["node", "main.js", "-e", V],
  ["python", "-u", "main.py", "-c", V],
  ["python", "-m", "tool", V],
  ["env", `A=${V}`, "tool", "-c", V],
  ["echo", "-c", V],
  ["pwsh", "-File", "x.ps1", "-Command", V],
  ["git", "-c", V, "log"],
  [V, "-c", V],
])("DATA-7 %s %s … with a value behind its code, or without code, is accepted", (...argv) => {
  expect(problems([exec(argv)])).toEqual([]);
});
