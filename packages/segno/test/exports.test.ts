// The exports of `segno`.

import * as engine from "@segno/engine";
import { expect, it } from "vitest";
import * as segno from "../src/index.ts";

/** Exports that only the command, the faces and the tests of other packages need. */
const INSIDE: ReadonlySet<string> = new Set([
  "ANYTHING",
  "checkOptions",
  "copyJson",
  "findSecretFailure",
  "functionAgent",
  "assignToStep",
  "hashJson",
  // Code workflows count with them.
  "HistogramFold",
  "MetricMaker",
  "inspectOrigin",
  "inspectOwner",
  "inspectPages",
  "inspectSchema",
  "invalidOption",
  "isBuiltWorkflow",
  "isExpansion",
  "isName",
  "isSkip",
  "KeyedMutex",
  // `segno/code` has it.
  "LocalProcesses",
  "ModuleThreads",
  "notUndoneText",
  "OBJECT",
  "oneOf",
  "referencesIn",
  "repairFile",
  "listSecretNames",
  "safeLogger",
  "skipReason",
  "StreamTail",
  "SystemEnvironment",
  "TEXT",
  "unknownOption",
  "WholeFile",
  "withMethods",
  "WorkflowBuilder",
]);

it("has everything that the engine offers to programs", () => {
  expect(Object.keys(engine).filter((name) => !(name in segno) && !INSIDE.has(name))).toEqual([]);
});
