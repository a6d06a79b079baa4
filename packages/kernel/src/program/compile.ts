// Compiles a definition
//
// Job: converts a definition into a program, or reports every problem that can be known before anything runs (CONTRACT-3, CONTRACT-10).
// Not its job: the shape of a document. The input has the right types; the loader ensures that.
//
//   P1. Problems are in the order of GRAPH-6: of single steps by declaration, then ids, dependencies and reads by declaration, then
//       cycles.
//   P2. Nothing that a definition names is looked up, imported or run.

import type { Problem } from "../errors/problem.ts";
import { SegnoError } from "../errors/segno-error.ts";
import { Suggestions } from "../errors/suggestion.ts";
import type { Definition, StepDefinition } from "../model/definition.ts";
import { formatJsonPath } from "../model/json.ts";
import { isEnabled } from "../model/policy.ts";
import type { StepId } from "../model/units.ts";
import { fallbackChains, type FallbackChains } from "../graph/fallback-chains.ts";
import { GraphBuilder, type GraphResult } from "../graph/graph-builder.ts";
import { enabledDependencyCounts, computeOrder, type Order } from "../graph/order.ts";
import { ShapeBudget } from "../data/shapes/shape-budget.ts";
import { parseVariablePath, isWithin, type VariablePath } from "../data/variable-path.ts";
import { checkDefinition, readOnlyPaths } from "./check-definition.ts";
import { checkExpressions } from "./check-expressions.ts";
import { compileStep } from "./compile-step.ts";
import type { ScopeResult, StepCompilation } from "./step-compilation.ts";
import { declaredSecrets } from "./declared-names.ts";
import { ProblemCollector } from "./problem-collector.ts";
import { graphProblems } from "./graph-problems.ts";
import type { CompileResult, Program, Writer } from "./program.ts";
import { ReadOnlyPaths } from "./read-only-paths.ts";
import { PrecedenceQueries } from "./precedence-queries.ts";
import { checkReads } from "./reads.ts";
import { compileRead, WORKFLOW_ROOTS } from "./roots.ts";
import { toStepColumns } from "./step-columns.ts";
import { childScopeDefinition, WORKFLOW_SCOPE, type ReadScope, type CompileScope } from "./compile-scope.ts";
import { checkWriters } from "./writers.ts";

/** Compiles a definition to a program, or returns its problems. */
export function compileDefinition(definition: Definition): CompileResult {
  return compileWithin(definition, WORKFLOW_SCOPE);
}

/** Returns the problems of a definition; none if it is valid. */
export function validateDefinition(definition: Definition): readonly Problem[] {
  const result = compileDefinition(definition);
  return result.kind === "problems" ? result.problems : [];
}

/** The same for steps that an attempt returned: the scope around them is not known here. */
export function validateExpansion({ steps }: Definition): readonly Problem[] {
  const result = compileExpansion({ name: "expansion", steps: [] }, steps, WORKFLOW_SCOPE);
  return result.kind === "problems" ? result.problems : [];
}

/** Throws if the definition has problems; loaders and builders validate definitions before. */
export function compileOrThrow(definition: Definition): Program {
  const result = compileDefinition(definition);
  if (result.kind === "program") return result.program;
  const [first] = result.problems;
  throw new SegnoError("DEFINITION_INVALID", `${formatJsonPath(first!.path)}: ${first!.message}`);
}

function compileWithin(definition: Definition, scope: CompileScope): CompileResult {
  const scopes: CheckedScope[] = [];
  const shared: SharedCompilation = { scopes, suggestions: new Suggestions(), budget: new ShapeBudget() };
  const { problems: collector, program } = compileScope(definition, scope, shared);
  checkOrder(scopes);
  const problems = collector.inOrder();
  return problems.length > 0 || program === undefined ? { kind: "problems", problems } : { kind: "program", program };
}

/** A list of steps and its problems. */
interface CheckedScope {
  readonly scope: ReadScope;
  readonly problems: ProblemCollector;
}

/** The reads that need an earlier writer, and the writes to variables that other steps write too. */
function checkOrder(scopes: readonly CheckedScope[]): void {
  const queries = new PrecedenceQueries();
  for (const { scope, problems } of scopes) {
    checkWriters(scope, problems, queries);
    checkReads(scope, problems, queries);
  }
  queries.report();
}

/** The compiled list by itself. Its reads can be checked only when the enclosing scopes are compiled. */
function compileScope(
  definition: Definition,
  outer: CompileScope,
  shared: SharedCompilation,
  compileMore?: (problems: ProblemCollector) => void,
): ScopeResult {
  const ids = definition.steps.map((step) => step.id);
  const problems = new ProblemCollector(ids, outer.path, shared.suggestions);
  checkDefinition(definition, outer, problems);
  const output =
    definition.output === undefined ? undefined : compileRead(definition.output, ["output"], WORKFLOW_ROOTS, problems);
  const { graph, problems: problemsInGraph } = buildGraph(definition.steps);
  problems.graph(graphProblems(definition.steps, problemsInGraph, problems.suggestions));
  const order = problemsInGraph.length === 0 ? computeOrder(graph) : undefined;
  const chains = fallbackChains(graph);
  const writers = collectWriters(definition, order, chains);
  const readOnly = readOnlyPaths(definition);
  const scope: ReadScope = { definition, graph, writers, compileScope: outer, budget: shared.budget };
  shared.scopes.push({ scope, problems });
  const compilation: StepCompilation = {
    scope,
    problems,
    chains,
    readOnly: new ReadOnlyPaths(readOnly),
    secrets: declaredSecrets(definition),
    compileInner: (inner, outerScope, more) => compileScope(inner, outerScope, shared, more),
  };
  const steps = definition.steps.map((step, index) => compileStep(step, index, compilation));
  compileMore?.(problems);
  checkExpressions(scope, steps, problems);
  if (order === undefined) return { problems, program: undefined };
  const program: Program = {
    definition,
    graph,
    order,
    unmet: enabledDependencyCounts(graph),
    steps,
    columns: toStepColumns(steps),
    output,
    writers,
    readOnly,
    strict: definition.strict === true,
  };
  return { problems, program };
}

/** One for a definition and all scopes in it. */
interface SharedCompilation {
  readonly scopes: CheckedScope[];
  readonly suggestions: Suggestions;
  readonly budget: ShapeBudget;
}

/** Steps that an attempt returned. They may read what the step that made them reads, which cannot be checked here. */
export function compileExpansion(
  definition: Definition,
  steps: readonly StepDefinition[],
  { inMap, inRepeat }: Pick<CompileScope, "inMap" | "inRepeat">,
): CompileResult {
  return compileWithin(childScopeDefinition(definition, steps), { path: [], scope: "steps", inMap, inRepeat });
}

function buildGraph(steps: readonly StepDefinition[]): GraphResult {
  const builder = new GraphBuilder();
  const disabled = disabledIds(steps);
  for (const step of steps) {
    builder.add(step.id, !disabled.has(step.id));
    for (const dependency of step.dependsOn ?? []) builder.dependOn(dependency.step, dependency.on);
    if (step.fallback !== undefined) builder.precede(step.fallback, "fallback");
  }
  return builder.build();
}

/** The fallback of a disabled step can never run, so it is disabled too. */
function disabledIds(steps: readonly StepDefinition[]): ReadonlySet<string> {
  const disabled = new Set<string>(steps.filter((step) => !isEnabled(step)).map((step) => step.id));
  if (disabled.size === 0) return disabled;
  const fallbackIndex = new Map(steps.map((step) => [step.id, step.fallback]));
  for (const id of disabled) {
    const fallback = fallbackIndex.get(id as StepId);
    if (fallback !== undefined) disabled.add(fallback);
  }
  return disabled;
}

/** A fallback writes the same variables as its primary, and at most one of the two has written (STATE-8). */
function collectWriters(
  definition: Definition,
  order: Order | undefined,
  { root, depth }: FallbackChains,
): readonly Writer[] {
  const writers: Writer[] = [];
  const position = new Int32Array(definition.steps.length);
  order?.steps.forEach((step, index) => (position[step] = index));
  const inPlace = (a: number, b: number): number => position[root[a]!]! - position[root[b]!]! || depth[a]! - depth[b]!;
  for (const step of order?.steps.toSorted(inPlace) ?? definition.steps.keys()) {
    const { output, private: own } = definition.steps[step]!;
    const path = output?.to === undefined ? undefined : parseVariablePath(output.to);
    if (path !== undefined)
      writers.push({ step, path, merge: output!.merge ?? "replace", isPrivate: isPrivate(path, own) });
  }
  return writers;
}

function isPrivate(path: VariablePath, own: readonly string[] | undefined): boolean {
  const areas = (own ?? []).map(parseVariablePath);
  return areas.some((area) => area !== undefined && isWithin(path, area));
}
