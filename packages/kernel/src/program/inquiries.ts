// Inquiries: questions about who stands before whom, with what is to be said if somebody does not.
//
// All questions about a definition, its scopes included, are collected first. Then each graph is asked once.

import { missingBefore, type PrecedenceQuery } from "../graph/precedence.ts";
import type { MergeMode } from "../model/definition.ts";
import type { ReadScope } from "./compile-scope.ts";
import { WriterIndex } from "./writer-index.ts";

/** So many steps are named in a problem, and so many dependencies stand in the line to add. */
export const NAMED_MAX = 8;

/** Told some of the steps that are missing: all of them, or more than `NAMED_MAX` where there are more. */
type Report = (missing: readonly number[]) => void;

export class Inquiries {
  readonly #asked = new Map<ReadScope, { readonly question: PrecedenceQuery; readonly place: number }[]>();
  readonly #reports: Report[] = [];
  readonly #writers = new Map<ReadScope, Map<string, WriterIndex>>();

  ask(scope: ReadScope, question: PrecedenceQuery, report: Report): void {
    if (question.steps.length === 0) return;
    const asked = this.#asked.get(scope) ?? [];
    asked.push({ question, place: this.#reports.length });
    this.#asked.set(scope, asked);
    this.#reports.push(report);
  }

  findWriters(scope: ReadScope, path: readonly string[]): readonly number[] {
    return this.indexOf(scope).findWriters(path);
  }

  /** Of all writers, or of those that write in one of these ways. */
  indexOf(scope: ReadScope, ...modes: readonly MergeMode[]): WriterIndex {
    const indexes = this.#writers.get(scope) ?? new Map<string, WriterIndex>();
    this.#writers.set(scope, indexes);
    const key = modes.join(" ");
    const index = indexes.get(key) ?? new WriterIndex(scope.writers, ...modes);
    indexes.set(key, index);
    return index;
  }

  /** In the order in which they were asked, whichever scope they are about. */
  report(): void {
    const missing: (readonly number[])[] = this.#reports.map(() => []);
    for (const [{ graph }, asked] of this.#asked) {
      const answers = missingBefore(
        graph,
        asked.map(({ question }) => question),
        NAMED_MAX,
      );
      asked.forEach(({ place }, index) => (missing[place] = answers[index]!));
    }
    this.#reports.forEach((report, place) => {
      if (missing[place]!.length > 0) report(missing[place]!);
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
