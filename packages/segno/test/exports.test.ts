// The exports of `segno`.

import * as engine from "@segno/engine";
import { expect, it } from "vitest";
import * as segno from "../src/index.ts";

/** Exports that only the command and the tests of other packages need. */
const INSIDE: ReadonlySet<string> = new Set([
  "functionAgent",
  "giveToStep",
  "inspectOrigin",
  "inspectOwner",
  "inspectPages",
  "inspectSchema",
  "notUndoneText",
  "referencesIn",
  "repairFile",
  "listSecretNames",
  "SystemEnvironment",
  "WholeFile",
  "WorkflowBuilder",
]);

it("has everything that the engine offers to programs", () => {
  expect(Object.keys(engine).filter((name) => !(name in segno) && !INSIDE.has(name))).toEqual([]);
});
