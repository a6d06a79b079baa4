// Loads an ONEX contract: text in, the planner's models out, or one error with all problems (CONTRACT-1, 3).
//
// Not its job: to read YAML (the native loader does that), or to run, import or open anything (CONTRACT-10).
//
//   O1. Unknown keys are ignored, except steps in the wrong place (CONTRACT-4). Reserved fields are checked for their type and
//       kept, without effect (CONTRACT-5).
//   O2. Steps stay in declaration order (CONTRACT-2). Missing ids come from the source of ids, in that order.
//   O3. Problems are sorted as the source requires: those of a single position by position, then dependencies, cycles last.

import type { AgentDefinition, Problem } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import {
  validateWorkflowDefinition,
  ValidationError,
  type WorkflowDefinition,
  type WorkflowStep,
} from "@segno/planner";

import { ContractError } from "../errors/contract-error.ts";
import { agentFrom } from "../convert/definition-from-document.ts";
import { mapValues } from "../convert/optional-fields.ts";
import { locatedProblems, attachPosition } from "../document/located-problems.ts";
import type { NodeProblem } from "../document/node-problem.ts";
import { readDocument, type SourceDocument } from "../document/read-document.ts";
import type { LoadOptions } from "../document/load-options.ts";
import { DependencyHints } from "./dependency-hints.ts";
import { definitionFrom, stepFrom } from "./models-from-document.ts";
import { onexSchema, type RawOnex } from "./models/raw-onex.ts";
import { onexProblems } from "./onex-problems.ts";
import { problemFrom } from "./planner-problems.ts";
import { salvageOnexContract } from "./partial-onex-document.ts";

/** A loaded ONEX contract: the models of the planner, and the agents that can run it. */
export interface OnexContract {
  /** The workflow as the planner reads it. */
  readonly definition: WorkflowDefinition;
  /** The steps of the workflow, in the order of the document. */
  readonly steps: readonly WorkflowStep[];
  /** The agents that run the steps, if the document declares them under `segno`. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
}

/** Options of `loadOnexContract`. */
export interface OnexLoadOptions extends LoadOptions {
  /** Makes ids for steps without one. The default makes random ids. */
  readonly newId?: () => string;
}

/** Reads an ONEX contract in YAML or JSON. Throws a `ContractError` with all problems. */
export function loadOnexContract(content: string | Uint8Array, options: OnexLoadOptions = {}): OnexContract {
  const { file = "contract", newId } = options;
  return toOnexContract(readDocument(content, file), newId);
}

export function toOnexContract(document: SourceDocument, newId: () => string = randomId): OnexContract {
  const own = onexProblems(document);
  const ownProblems = [...document.problems, ...own];
  const analysis =
    ownProblems.length === 0 ? analyzeOnex(document, newId) : { problems: partialProblems(document, ownProblems) };
  const hints = new DependencyHints(document.value);
  const problems = [...ownProblems, ...analysis.problems].map((problem) => hints.addHint(problem));
  if (problems.length > 0 || analysis.contract === undefined)
    throw new ContractError(locatedProblems(problems, document.file, document.text));
  return analysis.contract;
}

function randomId(): string {
  return crypto.randomUUID();
}

interface OnexAnalysis {
  readonly contract?: OnexContract;
  readonly problems: readonly NodeProblem[];
}

function analyzeOnex(document: SourceDocument, newId: () => string): OnexAnalysis {
  // The second parse strips the unknown keys.
  const { workflow_coordination: written, segno } = onexSchema.parse(document.value);
  const definition = definitionFrom(written.workflow_definition);
  const steps = (written.steps ?? []).map((step) => stepFrom(step, { newId }));
  const problems = semanticProblems(definition, steps).map((problem) => attachPosition(problem, document));
  return { contract: deepFreeze({ definition, steps, ...toAgents(segno) }), problems };
}

function toAgents(segno: RawOnex["segno"]): Pick<OnexContract, "agents"> {
  return segno?.agents === undefined ? {} : { agents: mapValues(segno.agents, agentFrom) };
}

/** Finds the problems between steps in the valid part of an invalid document. */
function partialProblems(document: SourceDocument, ownProblems: readonly NodeProblem[]): readonly NodeProblem[] {
  const partial = salvageOnexContract(
    document.value,
    ownProblems.map(({ path }) => path),
  );
  const steps = partial.steps.map((step) => stepFrom(step, { newId: randomId }));
  return semanticProblems(definitionFrom(partial.definition), steps)
    .filter(({ code }) => partial.hasEveryId || code !== "UNKNOWN_DEPENDENCY")
    .map((problem) => attachPosition(problem, document));
}

function semanticProblems(definition: WorkflowDefinition, steps: readonly WorkflowStep[]): readonly Problem[] {
  try {
    validateWorkflowDefinition(definition, steps);
    return [];
  } catch (error) {
    if (error instanceof ValidationError) return error.problems.map(problemFrom);
    throw error;
  }
}
