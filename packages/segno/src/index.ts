// segno: what people install. The parts that a program needs, under one name.

export {
  ContractError,
  createSchemaCheck,
  definitionHash,
  formatProblems,
  loadContract,
  toYaml,
  type LocatedProblem,
  type SchemaCheck,
} from "@segno/contract";
export {
  compileDefinition,
  createState,
  decide,
  executionStatus,
  fold,
  foldAll,
  PermanentError,
  programOf,
  RetryAfterError,
  SegnoError,
  validateDefinition,
  type Decision,
  type Definition,
  type Effect,
  type ErrorCode,
  type Event,
  type Happening,
  type Json,
  type Problem,
  type Program,
  type State,
  type StepDefinition,
  type World,
} from "@segno/kernel";
export { planOf, type PlanRequest } from "./plan/plan-of.ts";
export type { Plan, PlannedStep, StepNeeds, Verdict } from "./plan/plan.ts";
