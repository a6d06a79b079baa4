// A program can write down every type that an option, a result or an event of `segno` has.

import { afterAll, describe, expect, it } from "vitest";

import { Entries, type NamedType } from "./named-types.ts";
import { SEGNO_ENTRIES } from "./segno-entries.ts";

const FILES = SEGNO_ENTRIES.map(({ file }) => file);

/** A program gets these from one function and gives them to another, and never looks inside. */
const OPAQUE: ReadonlySet<string> = new Set(["State", "Program"]);

/** Types that only compute another type, or carry the fields of an exported one: no program writes them. */
const HELPERS: ReadonlySet<string> = new Set([
  // Fields that several kinds of a union share.
  "HappeningAt",
  "Row",
  "StepRow",
  // Fields that a type of a contract has in TypeScript as well.
  "MapFields",
  "WaitFields",
  // The keys of a contract that the builder has as options.
  "CompensationOption",
  "SameOption",
  // Types of the builder that the compiler infers.
  "Child",
  "CompensationWork",
  "EntryList",
  "MapResult",
  // What marks a type, or takes the words of a list.
  "Branded",
  "BrandedModel",
  "WordOf",
  // The fields of the planner's models, which only factories make.
  "ActionRecord",
  "CoordinationRulesRecord",
  "GraphNode",
  "Input",
  "Metadata",
  "PlannerDefinition",
  "RequiredActionFields",
  "RequiredInputFields",
  "RequiredStepFields",
  "WorkflowStepRecord",
  // The planner's own orchestrator and options, which `segno/planner` gives ids and a clock.
  "NodeOrchestrator",
  "PlanOptions",
  // The codes of one package; `ErrorCode` has all of them.
  "ContractErrorCode",
  "ServerErrorCode",
  "EngineErrorCode",
  "KernelErrorCode",
  "PlannerErrorCode",
  // Constructors and protected members that only the package itself calls.
  "AgentToRun",
  "Batch",
  "ConfiguredAgents",
  "OpenRepository",
  "StartedWorkflow",
  "TaskPlan",
  "TaskRecords",
  "TaskStrategy",
]);

/** The types that the builder's signatures compute: from the steps so far, and from the types of values. */
const COMPUTED: ReadonlySet<string> = new Set([
  "packages/engine/src/agents/jsonified.ts",
  "packages/engine/src/builder/step-outputs.ts",
]);

const entries = new Entries("packages/segno");
afterAll(() => entries.close());

const isMissing = ({ by, type, file }: NamedType): boolean =>
  !OPAQUE.has(by) && !HELPERS.has(type) && !COMPUTED.has(file);

describe("the entries of segno", () => {
  it("are several, `segno` and `segno/kernel` among them", () => {
    expect(SEGNO_ENTRIES.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["segno", "segno/batch", "segno/engines", "segno/kernel", "segno/planner"]),
    );
  });

  it.each(FILES)("export every type that an export of %s names", (file) => {
    expect(entries.missing(file, FILES).filter(isMissing)).toEqual([]);
  });

  it("name every helper type that the list above excuses", () => {
    const named = new Set(FILES.flatMap((file) => entries.missing(file, FILES)).map(({ type }) => type));
    expect([...HELPERS].filter((type) => !named.has(type))).toEqual([]);
  });
});
