// Writers: who writes the same variable as another step (ruling 51).
//
//   W1. Of two steps that write one variable, one comes before the other, or both append to it, or both merge into it. Anything
//       else would depend on which of them ends first, or would lose a write without a word.
//   W2. Two steps that append write the same path: a list has no room for a variable beneath it.
//   W3. A fallback never runs beside its primary. Private writes concern nobody else (DATA-4).

import type { VariablePath } from "../data/variable-path.ts";
import type { Findings } from "./findings.ts";
import { namesOf, type Inquiries } from "./inquiries.ts";
import { lineToAdd } from "./line-to-add.ts";
import type { Writer } from "./program.ts";
import type { ReadScope } from "./surroundings.ts";

export function checkWriters(scope: ReadScope, findings: Findings, inquiries: Inquiries): void {
  for (const writer of scope.writers) {
    if (writer.isPrivate) continue;
    for (const steps of rivals(scope, writer, inquiries))
      inquiries.ask(scope, { reader: writer.step, steps, only: "unordered-earlier" }, (missing) =>
        report(scope, findings, writer, missing),
      );
  }
}

/** Those that must not write without an order beside this one. */
function rivals(scope: ReadScope, { path, merge }: Writer, inquiries: Inquiries): readonly (readonly number[])[] {
  switch (merge) {
    case "replace":
      return [inquiries.indexOf(scope).writersOf(path)];
    case "merge":
      return [inquiries.indexOf(scope, "replace", "append").writersOf(path)];
    case "append":
      return [
        inquiries.indexOf(scope, "replace", "merge").writersOf(path),
        inquiries.indexOf(scope, "append").writersElsewhere(path),
      ];
  }
}

function report(scope: ReadScope, findings: Findings, { step, path }: Writer, missing: readonly number[]): void {
  const names = namesOf(scope, missing);
  const what = missing.length === 1 ? `${names} writes` : `${names} write`;
  const message = `\`${scope.graph.ids[step]}\` writes \`${textOf(path)}\`, ${what} ${whatOf(scope, path, missing)}, and nothing says which comes first`;
  const hint = lineToAdd(scope, missing, step) ?? lineToAdd(scope, [step], missing[0]!);
  findings.relational("WRITES_UNORDERED", ["steps", step, "output", "to"], message, hint);
}

function whatOf({ writers }: ReadScope, path: VariablePath, missing: readonly number[]): string {
  const other = writers.find(({ step }) => step === missing[0])!.path;
  return textOf(other) === textOf(path) ? "it too" : `\`${textOf(other)}\``;
}

function textOf(path: VariablePath): string {
  return `variables.${path.join(".")}`;
}
