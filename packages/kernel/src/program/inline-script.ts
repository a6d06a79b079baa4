// Values inside the code that an `exec` step passes to a shell or an interpreter, such as `sh -c` or `node -e`.
//
//   IS-1. An argument that a shell or an interpreter runs as code holds no value: the value could be code itself (DATA-7).
//   IS-2. Arguments after the code, and those of a script in a file, are data for it and may hold anything.
//   IS-3. Only programs with a known name are checked, also after a program that starts another, such as `env`.

import { inBackticks } from "../data/jmespath/expression.ts";
import type { CompiledTemplate } from "../data/template.ts";
import type { JsonPath } from "../model/json.ts";
import type { ProblemCollector } from "./problem-collector.ts";

interface Interpreter {
  readonly name: RegExp;
  /** Options that are followed by code. */
  readonly code: RegExp;
  /** The beginning of an argument that holds an option and the code together. */
  readonly joined?: RegExp;
  /** Options whose next argument is their value. */
  readonly optionsWithValue?: RegExp;
  /** The position of the code: the next argument, the first one that is not an option, or all that follow. */
  readonly position: "next" | "operand" | "rest";
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^(?:sh|bash|dash|zsh|ksh|mksh|ash|fish|csh|tcsh)$/u,
    code: /^(?:[-+][A-Za-z]*[cC][A-Za-z]*|--command|--init-command)$/u,
    joined: /^--(?:init-)?command=/u,
    optionsWithValue: /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/u,
    position: "operand",
  },
  { name: /^cmd$/u, code: /^\/[ckr]/iu, position: "rest" },
  {
    name: /^(?:powershell|pwsh)$/u,
    code: /^[-/](?:c|co|com|comm|comma|comman|command|commandwithargs|cwa|e|ec|en[a-z]*)$/iu,
    optionsWithValue:
      /^[-/](?:ex[a-z]*|ep|v[a-z]*|w[a-z]*|inp[a-z]*|o[a-z]*|conf[a-z]*|cus[a-z]*|se[a-z]*|ps[a-z]*)$/iu,
    position: "rest",
  },
  {
    name: /^(?:node|bun)$/u,
    code: /^(?:-e|-p|-pe|--eval|--print)$/u,
    joined: /^--(?:eval|print)=/u,
    optionsWithValue:
      /^(?:-r|-C|--require|--import|--preload|--loader|--experimental-loader|--conditions|--input-type)$/u,
    position: "next",
  },
  { name: /^deno$/u, code: /^eval$/u, position: "operand" },
  {
    name: /^python[\d.]*$/u,
    code: /^-[A-Za-z]*c$/u,
    joined: /^-[bBdEhiIOPqsSuvVx]*c/u,
    optionsWithValue: /^-[WX]$/u,
    position: "next",
  },
  {
    name: /^perl[\d.]*$/u,
    code: /^-\w*[eE]$/u,
    joined: /^-[aclnpwWtTsSuU]*[eE]/u,
    optionsWithValue: /^-[IMm]$/u,
    position: "next",
  },
  {
    name: /^ruby[\d.]*$/u,
    code: /^-\w*e$/u,
    joined: /^-[alnpwW]*e/u,
    optionsWithValue: /^-[ICrE]$/u,
    position: "next",
  },
  {
    name: /^php[\d.]*$/u,
    code: /^(?:-[rBRE]|--run)$/u,
    joined: /^-[rBRE]/u,
    optionsWithValue: /^-[cdz]$/u,
    position: "next",
  },
];

/** Programs that start the program that their arguments name. */
const STARTERS = /^(?:env|sudo|doas|nice|ionice|nohup|setsid|stdbuf|time|timeout|busybox|xargs)$/u;

export function checkInlineScript(argv: CompiledTemplate, path: JsonPath, problems: ProblemCollector): void {
  if (argv.kind !== "list") return;
  const [interpreter, first] = findInterpreter(argv.items);
  if (interpreter === undefined) return;
  for (const index of codeArguments(interpreter, argv.items, first))
    report(argv.items[index]!, [...path, index], problems);
}

/** The interpreter, and the index of its first argument. */
function findInterpreter(items: readonly CompiledTemplate[]): readonly [Interpreter | undefined, number] {
  const isStarter = STARTERS.test(programName(items[0]));
  for (const [index, item] of items.entries()) {
    const name = programName(item);
    const match = INTERPRETERS.find((each) => each.name.test(name));
    if (match !== undefined || !isStarter) return [match, index + 1];
  }
  return [undefined, 0];
}

/** The name without its folder and `.exe`; empty if a value decides it. */
function programName(item: CompiledTemplate | undefined): string {
  const name = item === undefined ? "" : (literalStart(item).split(/[/\\]/u).at(-1) ?? "");
  return item?.kind === "literal" ? name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/u, "") : "";
}

/** The literal text at the beginning of an argument. */
function literalStart(item: CompiledTemplate): string {
  if (item.kind === "literal") return typeof item.json === "string" ? item.json : "";
  const first = item.kind === "text" ? item.parts[0] : undefined;
  return typeof first === "string" ? first : "";
}

/** The indexes of the arguments that are code and hold a value. */
function codeArguments(interpreter: Interpreter, items: readonly CompiledTemplate[], first: number): readonly number[] {
  const { code, joined, optionsWithValue, position } = interpreter;
  const match: number[] = [];
  let isCodeNext = false;
  for (let index = first; index < items.length; index++) {
    const item = items[index]!;
    const start = literalStart(item);
    const hasValue = item.kind !== "literal";
    const isOption = code.test(start) || /^[-+/]./u.test(start);
    if (hasValue && (isCodeNext || joined?.test(start) === true || (position === "rest" && code.test(start))))
      match.push(index);
    if (isCodeNext && position === "rest") continue;
    if (isCodeNext && (position === "next" || !isOption)) {
      if (position === "operand") break;
      isCodeNext = false;
    } else if (code.test(start)) isCodeNext = true;
    else if (optionsWithValue?.test(start) === true) index++;
    else if (!isOption) break;
  }
  return match;
}

const HINT =
  'pass the value by `env` and read it there, or as a further argument: `[sh, -c, \'echo "$1"\', sh, "${ … }"]`';

function report(item: CompiledTemplate, path: JsonPath, problems: ProblemCollector): void {
  const expression = item.kind === "text" ? item.parts.find((part) => typeof part !== "string") : undefined;
  const match = item.kind === "expression" ? item.expression : expression;
  if (match === undefined || typeof match === "string") return;
  problems.structural("SCRIPT_TEMPLATE", path, `${inBackticks(match.source)} is inside a script`, HINT);
}
