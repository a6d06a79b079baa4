// Helpers of the planner's tests: readable ids, a clock that stands still until it is moved, and short ways to
// write steps and definitions.
//
// A step is called by a name of at most six letters; its id is made from the letters, so that a result can be read back
// as names.

import {
  executeWorkflow,
  ValidationError,
  workflowDefinition,
  workflowStep,
  type PlannerProblem,
  type PlanOptions,
  type IdAndClock,
  type WorkflowDefinition,
  type WorkflowExecutionResult,
  type WorkflowStep,
} from "@segno/planner";

export type StepFields = Parameters<typeof workflowStep>[0];
export type DefinitionFields = Parameters<typeof workflowDefinition>[0];
type MetadataFields = Partial<DefinitionFields["workflowMetadata"]>;

export const START_MS = 1_700_000_000_000;
export const VERSION = { major: 1, minor: 0, patch: 0 } as const;
export const WORKFLOW_ID = "00000000-0000-4000-9000-00000000000f";
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Ids in order, and a clock that moves only when a test moves it. */
export class PlannerFixture implements IdAndClock {
  nowMs: number = START_MS;
  readonly issued: string[] = [];
  readonly newId = (): string => {
    const id = numberedId(this.issued.length);
    this.issued.push(id);
    return id;
  };
  readonly now = (): number => this.nowMs;
  /** A `payloadFor` under which every step takes so long. */
  readonly taking = (durationMs: number) => (): object => {
    this.nowMs += durationMs;
    return {};
  };
}

export function numberedId(number: number): string {
  return `10000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export function stepId(name: string): string {
  return `00000000-0000-4000-8000-${Buffer.from(name).toString("hex").padStart(12, "0")}`;
}

export function correlationId(name: string): string {
  return `00000000-0000-4000-a000-${Buffer.from(name).toString("hex").padStart(12, "0")}`;
}

export function names(ids: readonly string[]): string[] {
  return ids.map((id) => Buffer.from(id.slice(-12), "hex").toString().replaceAll("\0", ""));
}

export type Written = Partial<Omit<StepFields, "dependsOn">> & { readonly after?: readonly string[] };

export function stepFields(name: string, { after, ...fields }: Written = {}): StepFields {
  return {
    stepId: stepId(name),
    correlationId: correlationId(name),
    stepName: name,
    stepType: "compute",
    dependsOn: (after ?? []).map(stepId),
    ...fields,
  };
}

export function step(name: string, written: Written = {}): WorkflowStep {
  return workflowStep(stepFields(name, written), new PlannerFixture());
}

/** `"a b(a) c(a,b)"` as steps, in that order. */
export function graph(text: string): WorkflowStep[] {
  return text.split(" ").map((word) => {
    const [name, rest] = word.split("(");
    return step(name!, { after: rest === undefined ? [] : rest.slice(0, -1).split(",") });
  });
}

export function definitionFields(metadata: MetadataFields = {}, rest: Partial<DefinitionFields> = {}) {
  return {
    version: VERSION,
    workflowMetadata: {
      version: VERSION,
      workflowName: "pipeline",
      workflowVersion: VERSION,
      description: "A workflow of the tests",
      ...metadata,
    },
    executionGraph: { version: VERSION },
    ...rest,
  } as DefinitionFields;
}

export function definition(metadata: MetadataFields = {}, rest: Partial<DefinitionFields> = {}): WorkflowDefinition {
  return workflowDefinition(definitionFields(metadata, rest));
}

/** Plans with sources of its own, unless some are given. */
export function plan(
  steps: readonly WorkflowStep[],
  options: Partial<PlanOptions> = {},
  of: WorkflowDefinition = definition(),
): Promise<WorkflowExecutionResult> {
  const { newId, now } = new PlannerFixture();
  return executeWorkflow(of, steps, WORKFLOW_ID, { newId, now, ...options });
}

export interface Outline {
  readonly status: string;
  readonly completed: readonly string[];
  /** Sorted: in which order failures stand is not said. */
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

export function outline(result: WorkflowExecutionResult): Outline {
  return {
    status: result.executionStatus,
    completed: names(result.completedSteps),
    failed: names(result.failedSteps).toSorted(),
    skipped: names(result.skippedSteps),
  };
}

/** The steps of these names cannot be made into actions. */
export function failing(...which: readonly string[]): (step: WorkflowStep) => object {
  return ({ stepName }) => {
    if (which.includes(stepName)) throw new Error(`no payload for ${stepName}`);
    return {};
  };
}

/** Returns the error of a refused call, which must be a ValidationError. */
export function listProblems(call: () => unknown): readonly PlannerProblem[] {
  try {
    call();
  } catch (error) {
    return problemsIn(error);
  }
  throw new Error("nothing was refused");
}

export async function catchRefusal(promise: Promise<unknown>): Promise<readonly PlannerProblem[]> {
  try {
    await promise;
  } catch (error) {
    return problemsIn(error);
  }
  throw new Error("nothing was refused");
}

function problemsIn(error: unknown): readonly PlannerProblem[] {
  if (!(error instanceof ValidationError)) throw new Error("refused with another error", { cause: error });
  if (error.code !== "VALIDATION_ERROR") throw new Error(`refused with the code ${error.code}`);
  return error.problems;
}

export function reasons(problems: readonly PlannerProblem[]): string[] {
  return problems.map(({ reason }) => reason);
}

/** Paths of objects and lists that could still be changed. */
export function unfrozen(value: unknown, path = "value"): string[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, each]) => unfrozen(each, `${path}.${key}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}
