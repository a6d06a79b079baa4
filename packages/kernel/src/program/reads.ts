// Reads: a step may read only what has ended before it starts (CONTRACT-11, DATA-10).
//
//   R1. `steps.x` needs x before the reader, over any number of edges; a path through a disabled step proves nothing,
//       because a disabled step holds nobody up.
//   R2. `variables.p` needs every writer of p there; a private write is seen by its own step only.
//   R3. What is refused comes with the line to add.
//   R4. A disabled step never reads, so what it would read is not checked (GRAPH-5).

import { closest } from "../errors/suggestion.ts";
import { Precedence } from "../graph/precedence.ts";
import { inBackticks } from "../data/jmespath/expression.ts";
import { referencesOf } from "../data/jmespath/references.ts";
import { overlaps } from "../data/variable-path.ts";
import type { Findings, Read } from "./findings.ts";
import type { Writer } from "./program.ts";
import type { Outer, ReadScope } from "./surroundings.ts";

export function checkReads(scope: ReadScope, findings: Findings): void {
  const checker = new ReadChecker(scope, findings);
  for (const read of findings.reads) if (!isDisabled(scope, read.step)) checker.check(read);
}

/** Whether a step, or one of the scopes it stands in, is disabled. */
export function isDisabled(scope: ReadScope, step: number): boolean {
  if (step >= 0 && scope.graph.disabled[step] === 1) return true;
  const { outer } = scope.surroundings;
  return outer !== undefined && isDisabled(outer.scope, outer.step);
}

class ReadChecker {
  readonly #scope: ReadScope;
  readonly #findings: Findings;
  readonly #precedence = new Map<ReadScope, Precedence>();

  constructor(scope: ReadScope, findings: Findings) {
    this.#scope = scope;
    this.#findings = findings;
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
    if (found.scope === this.#scope && found.step === read.step) {
      if (!read.mayReadItself)
        this.#findings.relational(
          "READ_TOO_EARLY",
          read.path,
          `${inBackticks(read.expression.source)} reads its own step, which has no result yet`,
        );
      return;
    }
    if (!this.#isBefore(found.scope, found.step, found.reader))
      this.#reportTooEarly(read, found.scope, found.step, found.reader);
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
    while (scope !== undefined) {
      if (reader === -1) return;
      for (const writer of scope.writers) {
        if (!overlaps(writer.path, path) || writer.isPrivate || writer.step === reader) continue;
        if (!this.#isBefore(scope, writer.step, reader)) this.#reportWriter(read, scope, writer, reader);
      }
      const outer: Outer | undefined = scope.surroundings.outer;
      if (outer === undefined) return;
      [scope, reader] = [outer.scope, outer.step];
    }
  }

  #isBefore(scope: ReadScope, step: number, reader: number): boolean {
    let precedence = this.#precedence.get(scope);
    if (precedence === undefined) {
      precedence = new Precedence(scope.graph);
      this.#precedence.set(scope, precedence);
    }
    return precedence.isBefore(step, reader);
  }

  #reportUnknown(read: Read, id: string): void {
    const ids = this.#scope.definition.steps.map((step) => step.id as string);
    const near = closest(id, ids);
    const hint =
      this.#findings.quoted(read.expression.source) ??
      (near === undefined ? undefined : `did you mean \`steps.${near}\`?`);
    this.#findings.relational(
      "UNKNOWN_STEP",
      read.path,
      `${inBackticks(read.expression.source)} reads \`steps.${id}\`, which is no step of this workflow`,
      hint,
    );
  }

  #reportTooEarly(read: Read, scope: ReadScope, step: number, reader: number): void {
    const name = scope.definition.steps[step]!.id;
    const message = `${inBackticks(read.expression.source)} reads \`steps.${name}\`, but nothing makes it end before this step starts`;
    this.#findings.relational("READ_TOO_EARLY", read.path, message, lineToAdd(scope, step, reader));
  }

  #reportWriter(read: Read, scope: ReadScope, writer: Writer, reader: number): void {
    const name = scope.definition.steps[writer.step]!.id;
    const message = `${inBackticks(read.expression.source)} reads \`variables.${writer.path.join(".")}\`, which \`${name}\` writes, but nothing makes that end before this step starts`;
    this.#findings.relational("READ_TOO_EARLY", read.path, message, lineToAdd(scope, writer.step, reader));
  }
}

/** A step that cleans up must not be kept from it by one more dependency that failed, so it is shown the settled form. */
function lineToAdd(scope: ReadScope, step: number, reader: number): string {
  const { id, dependsOn = [] } = scope.definition.steps[reader]!;
  const missing = {
    step: scope.definition.steps[step]!.id,
    on: dependsOn.some(({ on }) => on === "settled") ? "settled" : "succeeded",
  };
  const lines = [...dependsOn, missing].map((each) =>
    each.on === "settled" ? `{ step: ${each.step}, on: settled }` : each.step,
  );
  return `add to \`${id}\`: dependsOn: [${lines.join(", ")}]`;
}
