// Precedence queries: queries about the order of steps, each with the problem to report if the order is missing.
//
// All queries about a definition, its scopes included, are collected first. Then each graph is traversed once.

import { missingBefore, type PrecedenceQuery } from "../graph/precedence.ts";
import type { MergeMode } from "../model/definition.ts";
import type { ReadScope } from "./compile-scope.ts";
import { WriterIndex } from "./writer-index.ts";

/** The number of steps that a problem names, and of dependencies in the line to add. */
export const NAMED_MAX = 8;

/** Called with some of the missing steps: all of them, or more than `NAMED_MAX` if there are more. */
type Report = (missing: readonly number[]) => void;

export class PrecedenceQueries {
  readonly #queries = new Map<ReadScope, { readonly question: PrecedenceQuery; readonly reportIndex: number }[]>();
  readonly #reports: Report[] = [];
  readonly #writers = new Map<ReadScope, Map<string, WriterIndex>>();

  add(scope: ReadScope, query: PrecedenceQuery, report: Report): void {
    if (query.steps.length === 0) return;
    const queries = this.#queries.get(scope) ?? [];
    queries.push({ question: query, reportIndex: this.#reports.length });
    this.#queries.set(scope, queries);
    this.#reports.push(report);
  }

  findWriters(scope: ReadScope, path: readonly string[]): readonly number[] {
    return this.indexOf(scope).findWriters(path);
  }

  /** About all writers, or about those with one of these merge modes. */
  indexOf(scope: ReadScope, ...modes: readonly MergeMode[]): WriterIndex {
    const indexes = this.#writers.get(scope) ?? new Map<string, WriterIndex>();
    this.#writers.set(scope, indexes);
    const key = modes.join(" ");
    const index = indexes.get(key) ?? new WriterIndex(scope.writers, ...modes);
    indexes.set(key, index);
    return index;
  }

  /** In the order in which the queries were added, whatever their scope. */
  report(): void {
    const missing: (readonly number[])[] = this.#reports.map(() => []);
    for (const [{ graph }, asked] of this.#queries) {
      const answers = missingBefore(
        graph,
        asked.map(({ question }) => question),
        NAMED_MAX,
      );
      asked.forEach(({ reportIndex }, index) => (missing[reportIndex] = answers[index]!));
    }
    this.#reports.forEach((report, reportIndex) => {
      if (missing[reportIndex]!.length > 0) report(missing[reportIndex]!);
    });
  }
}

/** `a`; `a` and `b`; `a`, `b` and others. */
export function stepNames({ graph }: ReadScope, steps: readonly number[]): string {
  const names = steps.slice(0, NAMED_MAX).map((step) => `\`${graph.ids[step]}\``);
  if (steps.length === 1) return names[0]!;
  if (steps.length > NAMED_MAX) return `${names.join(", ")} and others`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
