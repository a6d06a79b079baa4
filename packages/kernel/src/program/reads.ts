// Reads: a step may read only what has ended before it starts (CONTRACT-11, DATA-10).
//
//   R1. `steps.x` needs x before the reader, over any number of edges; a path through a disabled step proves nothing,
//       because a disabled step holds nobody up.
//   R2. `variables.p` needs every writer of p there; a private write is seen by its own step only.
//   R3. What is refused comes with the line to add. A read is refused once, however many writers it misses.
//   R4. A disabled step never reads, so what it would read is not checked (GRAPH-5).
//   R5. All reads of a definition, its scopes included, are collected first. Then each graph is asked once.

import { missingBefore, type Question } from "../graph/precedence.ts";
import { inBackticks } from "../data/jmespath/expression.ts";
import { referencesOf } from "../data/jmespath/references.ts";
import type { Findings, Read } from "./findings.ts";
import type { Outer, ReadScope } from "./surroundings.ts";
import { WriterIndex } from "./writer-index.ts";

/** A list of steps and what was found in it. */
export interface CheckedScope {
  readonly scope: ReadScope;
  readonly findings: Findings;
}

/** So many steps are named that a read misses, and so many dependencies stand in the line to add. */
const NAMED_MAX = 8;

export function checkReads(scopes: readonly CheckedScope[]): void {
  const inquiries = new Inquiries();
  for (const { scope, findings } of scopes) {
    const checker = new ReadChecker(scope, findings, inquiries);
    for (const read of findings.reads) if (!isDisabled(scope, read.step)) checker.check(read);
  }
  inquiries.report();
}

/** Whether a step, or one of the scopes it stands in, is disabled. */
export function isDisabled(scope: ReadScope, step: number): boolean {
  if (step >= 0 && scope.graph.disabled[step] === 1) return true;
  const { outer } = scope.surroundings;
  return outer !== undefined && isDisabled(outer.scope, outer.step);
}

type Report = (missing: readonly number[]) => void;

/** Questions about who is before whom, with what is to be said if somebody is not. */
class Inquiries {
  readonly #asked = new Map<ReadScope, { readonly question: Question; readonly place: number }[]>();
  readonly #reports: Report[] = [];
  readonly #writers = new Map<ReadScope, WriterIndex>();

  ask(scope: ReadScope, question: Question, report: Report): void {
    if (question.steps.length === 0) return;
    const asked = this.#asked.get(scope) ?? [];
    asked.push({ question, place: this.#reports.length });
    this.#asked.set(scope, asked);
    this.#reports.push(report);
  }

  writersOf(scope: ReadScope, path: readonly string[]): readonly number[] {
    let index = this.#writers.get(scope);
    if (index === undefined) this.#writers.set(scope, (index = new WriterIndex(scope.writers)));
    return index.writersOf(path);
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

class ReadChecker {
  readonly #scope: ReadScope;
  readonly #findings: Findings;
  readonly #inquiries: Inquiries;
  /** A list for each step that is read, shared by all who read it. */
  readonly #single = new Map<ReadScope, Map<number, readonly number[]>>();

  constructor(scope: ReadScope, findings: Findings, inquiries: Inquiries) {
    this.#scope = scope;
    this.#findings = findings;
    this.#inquiries = inquiries;
  }

  check(read: Read): void {
    if (this.#findings.isMisquoted(read.expression)) return;
    const told = new Set<string>();
    for (const { path } of referencesOf(read.expression)) {
      const [root, ...rest] = path;
      const key = root === "steps" ? `steps.${rest[0]}` : path.join(".");
      if (told.has(key)) continue;
      told.add(key);
      if (root === "steps" && rest[0] !== undefined) this.#checkStep(read, rest[0]);
      if (root === "variables" || root === undefined) this.#checkVariables(read, rest);
    }
  }

  #checkStep(read: Read, id: string): void {
    const found = this.#find(id, read.step);
    if (found === undefined) return this.#reportUnknown(read, id);
    if (found.reader === -1) return;
    const { scope, step, reader } = found;
    if (scope === this.#scope && step === read.step) {
      if (!read.mayReadItself) this.#reportSelf(read);
      return;
    }
    // A step that is read through its own scope is never before it.
    if (step === reader) return this.#reportTooEarly(read, scope, step, reader);
    this.#inquiries.ask(scope, { reader, steps: this.#singleList(scope, step) }, () =>
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

  /** The step with this id as the reader sees it: a sibling, or a step that stands before the scope it is in. */
  #find(id: string, reader: number): { scope: ReadScope; step: number; reader: number } | undefined {
    let scope: ReadScope | undefined = this.#scope;
    let from = reader;
    while (scope !== undefined) {
      const step = scope.graph.indexById.get(id);
      if (step !== undefined) return { scope, step, reader: from };
      const outer: Outer | undefined = scope.surroundings.outer;
      // Steps made at run time may read what their maker reads; what that is was checked when it was compiled.
      if (outer === undefined)
        return scope.surroundings.scope === "steps" ? { scope, step: -1, reader: -1 } : undefined;
      [scope, from] = [outer.scope, outer.step];
    }
    return undefined;
  }

  #checkVariables(read: Read, path: readonly string[]): void {
    let scope: ReadScope | undefined = this.#scope;
    let reader = read.step;
    while (scope !== undefined && reader !== -1) {
      const [around, from]: [ReadScope, number] = [scope, reader];
      this.#inquiries.ask(around, { reader, steps: this.#inquiries.writersOf(around, path) }, (missing) =>
        this.#reportWriters(read, around, missing, from),
      );
      const outer: Outer | undefined = scope.surroundings.outer;
      if (outer === undefined) return;
      [scope, reader] = [outer.scope, outer.step];
    }
  }

  #reportSelf(read: Read): void {
    this.#findings.relational(
      "READ_TOO_EARLY",
      read.path,
      `${inBackticks(read.expression.source)} reads its own step, which has no result yet`,
    );
  }

  #reportUnknown(read: Read, id: string): void {
    const { source } = read.expression;
    this.#findings.relational(
      "UNKNOWN_STEP",
      read.path,
      `${inBackticks(source)} reads \`steps.${id}\`, which is no step of this workflow`,
      this.#findings.quoted(source) ?? this.#nearStep(id),
    );
  }

  #nearStep(id: string): string | undefined {
    const near = this.#findings.suggestions.closest(id, this.#scope.graph.ids);
    return near === undefined ? undefined : `did you mean \`steps.${near}\`?`;
  }

  #reportTooEarly(read: Read, scope: ReadScope, step: number, reader: number): void {
    const name = scope.definition.steps[step]!.id;
    const message = `${inBackticks(read.expression.source)} reads \`steps.${name}\`, but nothing makes it end before this step starts`;
    this.#findings.relational("READ_TOO_EARLY", read.path, message, lineToAdd(scope, [step], reader));
  }

  #reportWriters(read: Read, scope: ReadScope, missing: readonly number[], reader: number): void {
    const path = scope.writers.find(({ step }) => step === missing[0])!.path.join(".");
    const message = `${inBackticks(read.expression.source)} reads \`variables.${path}\`, which ${namesOf(scope, missing)}, but nothing makes that end before this step starts`;
    this.#findings.relational("READ_TOO_EARLY", read.path, message, lineToAdd(scope, missing, reader));
  }
}

/** `a` writes; `a` and `b` write. */
function namesOf({ graph }: ReadScope, steps: readonly number[]): string {
  const names = steps.slice(0, NAMED_MAX).map((step) => `\`${graph.ids[step]}\``);
  if (steps.length === 1) return `${names[0]} writes`;
  if (steps.length > NAMED_MAX) return `${names.join(", ")} and others write`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} write`;
}

/** A step that cleans up must not be kept from it by one more dependency that failed, so it is shown the settled form. */
function lineToAdd(scope: ReadScope, steps: readonly number[], reader: number): string {
  const { id, dependsOn = [] } = scope.definition.steps[reader]!;
  const on = dependsOn.some((each) => each.on === "settled") ? "settled" : "succeeded";
  const missing = steps.slice(0, NAMED_MAX).map((step) => ({ step: scope.graph.ids[step]!, on }));
  const lines = [...dependsOn.slice(0, NAMED_MAX), ...missing].map((each) =>
    each.on === "settled" ? `{ step: ${each.step}, on: settled }` : each.step,
  );
  if (dependsOn.length > NAMED_MAX) lines.splice(NAMED_MAX, 0, "…");
  if (steps.length > NAMED_MAX) lines.push("…");
  return `add to \`${id}\`: dependsOn: [${lines.join(", ")}]`;
}
