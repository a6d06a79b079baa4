// Writers: steps that write the same variable as another step (ruling 51).
//
//   W1. Of two steps that write one variable, one comes before the other, or both append to it, or both merge into it. Any other
//       combination would depend on which of them ends first, or would lose a write without a message.
//   W2. Two steps that append write the same path: a list has no variable below it.
//   W3. A fallback never runs beside its primary. Private writes concern no other step (DATA-4).

import type { VariablePath } from "../data/variable-path.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import { stepNames, type PrecedenceQueries } from "./precedence-queries.ts";
import { lineToAdd } from "./line-to-add.ts";
import type { Writer } from "./program.ts";
import type { ReadScope } from "./compile-scope.ts";

export function checkWriters(scope: ReadScope, problems: ProblemCollector, queries: PrecedenceQueries): void {
  for (const writer of scope.writers) {
    if (writer.isPrivate) continue;
    for (const steps of conflictingWriters(scope, writer, queries))
      queries.add(scope, { reader: writer.step, steps, only: "unordered-earlier" }, (missing) =>
        report(scope, problems, writer, missing),
      );
  }
}

/** The steps that must not write the same variable without an order to this one. */
function conflictingWriters(
  scope: ReadScope,
  { path, merge }: Writer,
  queries: PrecedenceQueries,
): readonly (readonly number[])[] {
  switch (merge) {
    case "replace":
      return [queries.indexOf(scope).findWriters(path)];
    case "merge":
      return [queries.indexOf(scope, "replace", "append").findWriters(path)];
    case "append":
      return [
        queries.indexOf(scope, "replace", "merge").findWriters(path),
        queries.indexOf(scope, "append").writersElsewhere(path),
      ];
  }
}

function report(
  scope: ReadScope,
  problems: ProblemCollector,
  { step, path }: Writer,
  missing: readonly number[],
): void {
  const names = stepNames(scope, missing);
  const others = missing.length === 1 ? `${names} writes` : `${names} write`;
  const message = `\`${scope.graph.ids[step]}\` writes \`${pathText(path)}\`, ${others} ${describeWriters(scope, path, missing)}, and no dependency defines which comes first`;
  const hint = lineToAdd(scope, missing, step) ?? lineToAdd(scope, [step], missing[0]!);
  problems.relational("WRITES_UNORDERED", ["steps", step, "output", "to"], message, hint);
}

function describeWriters({ writers }: ReadScope, path: VariablePath, missing: readonly number[]): string {
  const other = writers.find(({ step }) => step === missing[0])!.path;
  return pathText(other) === pathText(path) ? "it too" : `\`${pathText(other)}\``;
}

function pathText(path: VariablePath): string {
  return `variables.${path.join(".")}`;
}
