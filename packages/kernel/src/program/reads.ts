// Reads: a step may read only steps that have ended before it starts (CONTRACT-11, DATA-10).
//
//   R1. `steps.x` needs x before the reader, over any number of edges; a path through a disabled step proves no order, because a
//       disabled step delays no step.
//   R2. `variables.p` needs every writer of p before or after the reader: later writers do not count, even if the reader is a
//       writer itself (ruling 51). A private write is visible only to its own step.
//   R3. A refused read comes with the line to add. A read is refused once, however many writers it misses.
//   R4. A disabled step never reads, so its reads are not checked (GRAPH-5).

import { inBackticks } from "../data/jmespath/expression.ts";
import { listReferences } from "../data/jmespath/references.ts";
import type { ProblemCollector, ExpressionRead } from "./problem-collector.ts";
import { stepNames, type PrecedenceQueries } from "./precedence-queries.ts";
import { lineToAdd } from "./line-to-add.ts";
import type { OuterScope, ReadScope } from "./compile-scope.ts";

export function checkReads(scope: ReadScope, problems: ProblemCollector, queries: PrecedenceQueries): void {
  const checker = new ReadChecker(scope, problems, queries);
  for (const read of problems.reads) if (!isDisabled(scope, read.step)) checker.check(read);
}

/** Whether a step, or one of its enclosing scopes, is disabled. */
export function isDisabled(scope: ReadScope, step: number): boolean {
  if (step >= 0 && scope.graph.disabled[step] === 1) return true;
  const { outer } = scope.compileScope;
  return outer !== undefined && isDisabled(outer.scope, outer.step);
}

class ReadChecker {
  readonly #scope: ReadScope;
  readonly #problems: ProblemCollector;
  readonly #queries: PrecedenceQueries;
  /** A list for each step that is read, shared by all its readers. */
  readonly #single = new Map<ReadScope, Map<number, readonly number[]>>();

  constructor(scope: ReadScope, problems: ProblemCollector, queries: PrecedenceQueries) {
    this.#scope = scope;
    this.#problems = problems;
    this.#queries = queries;
  }

  check(read: ExpressionRead): void {
    if (this.#problems.isMisquoted(read.expression)) return;
    const reported = new Set<string>();
    for (const { path } of listReferences(read.expression)) {
      const [root, ...rest] = path;
      const key = root === "steps" ? `steps.${rest[0]}` : path.join(".");
      if (reported.has(key)) continue;
      reported.add(key);
      if (root === "steps" && rest[0] !== undefined) this.#checkStep(read, rest[0]);
      if (root === "variables" || root === undefined) this.#checkVariables(read, rest);
    }
  }

  #checkStep(read: ExpressionRead, id: string): void {
    const result = this.#find(id, read.step);
    if (result === undefined) return this.#reportUnknown(read, id);
    if (result.reader === -1) return;
    const { scope, step, reader } = result;
    if (scope === this.#scope && step === read.step) {
      if (!read.mayReadItself) this.#reportSelf(read);
      return;
    }
    // A step that is read from inside its own scope has not ended.
    if (step === reader) return this.#reportTooEarly(read, scope, step, reader);
    this.#queries.add(scope, { reader, steps: this.#singleList(scope, step) }, () =>
      this.#reportTooEarly(read, scope, step, reader),
    );
  }

  #singleList(scope: ReadScope, step: number): readonly number[] {
    const lists = this.#single.get(scope) ?? new Map<number, readonly number[]>();
    this.#single.set(scope, lists);
    const list = lists.get(step) ?? [step];
    lists.set(step, list);
    return list;
  }

  /** The step with this id as the reader sees it: a sibling, or a step before an enclosing scope. */
  #find(id: string, reader: number): { scope: ReadScope; step: number; reader: number } | undefined {
    let scope: ReadScope | undefined = this.#scope;
    let from = reader;
    while (scope !== undefined) {
      const step = scope.graph.indexById.get(id);
      if (step !== undefined) return { scope, step, reader: from };
      const outer: OuterScope | undefined = scope.compileScope.outer;
      // Steps made at run time may read what the step that made them reads, which was checked when that step was compiled.
      if (outer === undefined)
        return scope.compileScope.scope === "steps" ? { scope, step: -1, reader: -1 } : undefined;
      [scope, from] = [outer.scope, outer.step];
    }
    return undefined;
  }

  #checkVariables(read: ExpressionRead, path: readonly string[]): void {
    let scope: ReadScope | undefined = this.#scope;
    let reader = read.step;
    while (scope !== undefined) {
      const [around, from]: [ReadScope, number] = [scope, reader];
      if (reader !== -1) {
        const steps = this.#queries.findWriters(around, path);
        this.#queries.add(around, { reader, steps, only: "unordered" }, (missing) =>
          this.#reportWriters(read, around, missing, from),
        );
      }
      const outer: OuterScope | undefined = scope.compileScope.outer;
      if (outer === undefined) return;
      [scope, reader] = [outer.scope, outer.step];
    }
  }

  #reportSelf(read: ExpressionRead): void {
    this.#problems.relational(
      "READ_TOO_EARLY",
      read.path,
      `${inBackticks(read.expression.source)} reads its own step, which has no result yet`,
    );
  }

  #reportUnknown(read: ExpressionRead, id: string): void {
    const { source } = read.expression;
    this.#problems.relational(
      "UNKNOWN_STEP",
      read.path,
      `${inBackticks(source)} reads \`steps.${id}\`, which is not a step of this workflow`,
      this.#problems.quoteHint(source) ?? this.#nearStep(id),
    );
  }

  #nearStep(id: string): string | undefined {
    const near = this.#problems.suggestions.closest(id, this.#scope.graph.ids);
    return near === undefined ? undefined : `did you mean \`steps.${near}\`?`;
  }

  #reportTooEarly(read: ExpressionRead, scope: ReadScope, step: number, reader: number): void {
    const name = scope.definition.steps[step]!.id;
    const message = `${inBackticks(read.expression.source)} reads \`steps.${name}\`, but no dependency makes it end before this step starts`;
    const hint = lineToAdd(scope, [step], reader) ?? tooLate(scope, step, reader);
    this.#problems.relational("READ_TOO_EARLY", read.path, message, hint);
  }

  #reportWriters(read: ExpressionRead, scope: ReadScope, missing: readonly number[], reader: number): void {
    const path = scope.writers.find(({ step }) => step === missing[0])!.path.join(".");
    const message = `${inBackticks(read.expression.source)} reads \`variables.${path}\`, which ${writing(scope, missing)}, but no dependency makes that step end before this step starts`;
    const hint = lineToAdd(scope, missing, reader) ?? lineToAdd(scope, [reader], missing[0]!);
    this.#problems.relational("READ_TOO_EARLY", read.path, message, hint);
  }
}

/** `a` writes; `a` and `b` write. */
function writing(scope: ReadScope, steps: readonly number[]): string {
  return `${stepNames(scope, steps)} ${steps.length === 1 ? "writes" : "write"}`;
}

/** For the case that the line to add would make a cycle. */
function tooLate({ graph: { ids } }: ReadScope, step: number, reader: number): string | undefined {
  if (step === reader) return undefined;
  return `\`${ids[step]}\` comes after \`${ids[reader]}\`; read it in a step that comes after both`;
}
