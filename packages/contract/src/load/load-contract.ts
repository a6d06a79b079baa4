// Loads a contract: text in, a frozen definition out, or one error with all problems (CONTRACT-1, 3).
//
// Not its job: to run, import or open anything that the contract names (CONTRACT-10).
//
//   L1. Text that cannot be parsed is refused at once. For a parsed document every check runs, also if others found problems.
//   L2. Problems are sorted as GRAPH-6 requires: those of a single position by position, then those between steps, cycles last.

import { compileDefinition, type CompileResult, type Definition, type Problem } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";

import { DocumentProblems, type DocumentProblem } from "../check/document-problems.ts";
import { repairDocument } from "../check/repairs.ts";
import { ruleProblems } from "../check/rule-problems.ts";
import { embeddedSchemaProblems } from "../check/embedded-schemas.ts";
import { shapeProblems } from "../check/shape-problems.ts";
import { salvageContract } from "../check/partial-document.ts";
import { ContractError } from "../errors/contract-error.ts";
import { definitionFrom } from "../convert/definition-from-document.ts";
import { documentPath } from "../convert/document-path.ts";
import type { ReadDocument } from "../document/json-reader.ts";
import { locatedProblems, attachPosition } from "../document/located-problems.ts";
import type { NodeProblem } from "../document/node-problem.ts";
import type { LoadOptions } from "../document/load-options.ts";
import { readDocument, type SourceDocument } from "../document/read-document.ts";
import { isIncomplete, isUnderError } from "../document/source-map.ts";
import { keepProgram } from "./loaded-programs.ts";
import { rebaseModulePaths, type ModuleBase } from "./module-paths.ts";
import { isOnexDocument, ONEX_KEY } from "../document/onex-document-key.ts";
import { contractSchema, type RawContract } from "../models/contract-document.ts";
import { STEP_KINDS } from "../models/step-keys.ts";
import { WAIT_KINDS } from "../models/wait.ts";

/**
 * Reads a contract in YAML or JSON and returns its definition. Throws a `ContractError` with all problems. Nothing that
 * the contract names is run or imported.
 *
 * @example
 * ```ts
 * import { Engine, loadContract } from "segno";
 *
 * const hello = loadContract(`
 * name: hello
 * steps:
 *   - { id: say, run: echo Hello }
 * output: \${ steps.say.output.stdout }
 * `);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(hello);
 * console.log(await execution.result()); // Hello
 * ```
 */
export function loadContract(content: string | Uint8Array, { file = "contract" }: LoadOptions = {}): Definition {
  return definitionOfContract(readDocument(content, file));
}

export function definitionOfContract(document: SourceDocument, modules?: ModuleBase): Definition {
  if (isOnexDocument(document.value)) throw toRawOnex(document);
  const own = documentProblems(document);
  const { definition, compiled, problems: semantic } = analyzeContract(document, own, modules);
  const problems = [...document.problems, ...own, ...semantic];
  if (problems.length > 0 || definition === undefined)
    throw new ContractError(locatedProblems(problems, document.file, document.text));
  deepFreeze(definition);
  if (compiled?.kind === "program") keepProgram(definition, compiled.program);
  return definition;
}

/** Without this check, an ONEX contract would be reported as a list of unknown keys. */
function toRawOnex(document: SourceDocument): ContractError {
  const problem = {
    code: "CONTRACT_IS_ONEX",
    path: [ONEX_KEY],
    message: `expected a native contract, found an ONEX contract: it has \`${ONEX_KEY}\``,
    hint: "load it with `loadOnexContract`; `loadContractFile` takes both kinds",
  } as const;
  return new ContractError(locatedProblems([attachPosition(problem, document, "key")], document.file, document.text));
}

function documentProblems(document: ReadDocument): readonly NodeProblem[] {
  const problems = new DocumentProblems();
  shapeProblems(contractSchema, document.value, problems);
  ruleProblems(document.value, problems);
  embeddedSchemaProblems(document.value, problems);
  const meant = new Set(
    problems.all.flatMap(({ path, meant: key }) => (key === undefined ? [] : [pathKey([...path.slice(0, -1), key])])),
  );
  return problems.all
    .filter((problem) => !isFollowUp(problem, document, meant))
    .map((problem) => attachPosition(problem, document, problem.target));
}

/** Whether a key only seems to be missing: it is misspelt, or is inside a refused part. */
function isFollowUp(
  { code, path, target }: DocumentProblem,
  { source }: ReadDocument,
  meant: ReadonlySet<string>,
): boolean {
  if (isUnderError(source, target === "key" ? path.slice(0, -1) : path)) return true;
  if (code === "MISSING_KEY") return meant.has(pathKey(path)) || isIncomplete(source, path.slice(0, -1));
  if (code === "ACTION_MISSING")
    return isIncomplete(source, path) || ACTION_KEYS.some((key) => meant.has(pathKey([...path, key])));
  return false;
}

const ACTION_KEYS = [...STEP_KINDS, ...WAIT_KINDS];

function pathKey(path: Problem["path"]): string {
  return JSON.stringify(path);
}

interface ContractAnalysis {
  readonly definition: Definition | undefined;
  /** The definition, compiled. Absent for the valid part of an invalid document. */
  readonly compiled?: CompileResult;
  readonly problems: readonly NodeProblem[];
}

function analyzeContract(
  document: ReadDocument,
  own: readonly NodeProblem[],
  modules: ModuleBase | undefined,
): ContractAnalysis {
  const problems = [...document.problems, ...own];
  const { document: value, broken } = repairDocument(document.value, problems);
  if (broken.length === 0) {
    const plain = definitionFrom(value as unknown as RawContract);
    const definition = modules === undefined ? plain : rebaseModulePaths(plain, modules);
    const compiled = compileDefinition(definition);
    return { definition, compiled, problems: kernelProblems(definition, compiled, document) };
  }
  const partial = salvageContract(value, broken);
  if (partial === undefined) return { definition: undefined, problems: [] };
  const definition = definitionFrom(partial.document);
  const compiled = compileDefinition(definition);
  return { definition: undefined, problems: kernelProblems(definition, compiled, document, partial.isIndependent) };
}

function kernelProblems(
  definition: Definition,
  compiled: CompileResult,
  document: ReadDocument,
  isIndependent: (problem: Problem) => boolean = () => true,
): readonly NodeProblem[] {
  if (compiled.kind === "program") return [];
  return compiled.problems
    .filter(isIndependent)
    .map((problem) => attachPosition({ ...problem, path: documentPath(definition, problem.path) }, document));
}
