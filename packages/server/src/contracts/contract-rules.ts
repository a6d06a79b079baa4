// The kinds of steps that a contract may have when it comes through the API (HTTP-7).
//
//   CR1. A contract is checked as a whole, as the engine would run it: also steps inside others, steps that stand in for others, and
//        compensations. Steps that are not enabled are checked too, because a later version of Segno may run them.
//   CR2. Waits, approvals, barriers and calls of other workflows are always allowed. The workflows that the operator has loaded are not checked.
//   CR3. A contract may name an agent that the operator has registered and named here. A path of a module loads code, so it has a kind of its own.

import { SegnoError, stepsInside, type ActionDefinition, type Definition, type StepDefinition } from "@segno/kernel";

/** A kind of step that contracts of the API may have: a command, a request, an agent, or an agent's module. */
export type AllowedKind = "http" | "agent" | "run" | "exec" | "module";

/** All kinds that can be allowed. */
export const ALLOWED_KINDS: readonly AllowedKind[] = ["http", "agent", "run", "exec", "module"];

/** Which contracts may be put by the API. */
export interface ContractRules {
  /** The kinds of steps that a contract may have. The default is `http` and `agent`. */
  readonly allow?: readonly AllowedKind[];
  /** The registered agents that a contract may name. The default is none. */
  readonly agents?: readonly string[];
  /**
   * Names that a contract may not have: those of workflows that the program has registered with the engine itself. Those that the
   * server offers, and those that they include, are reserved anyway.
   */
  readonly reserved?: readonly string[];
}

const DEFAULT_KINDS: readonly AllowedKind[] = ["http", "agent"];

/** Throws KIND_REFUSED with the first step that the rules do not allow. */
export function checkRules(definition: Definition, { allow = DEFAULT_KINDS, agents = [] }: ContractRules): void {
  const modules = Object.entries(definition.agents ?? {}).filter(([, { module }]) => module !== undefined);
  const [first] = modules;
  if (first !== undefined && !allow.includes("module"))
    throw refused(`the agent \`${first[0]}\` names a module`, "module");
  const known = new Set([...agents, ...modules.map(([name]) => name)]);
  for (const [step, action] of actionsIn(definition.steps)) checkAction(step, action, allow, known);
}

/** The actions of all steps with their compensations, also inside others (CR1). */
function* actionsIn(steps: readonly StepDefinition[]): Generator<readonly [StepDefinition, ActionDefinition]> {
  for (const step of steps) {
    yield [step, step.action];
    if (step.compensate !== undefined) yield [step, step.compensate.action];
    yield* actionsIn(stepsInside(step.action));
  }
}

function checkAction(
  { id }: StepDefinition,
  action: ActionDefinition,
  allow: readonly AllowedKind[],
  agents: ReadonlySet<string>,
): void {
  switch (action.kind) {
    case "run":
    case "exec":
    case "http":
      if (!allow.includes(action.kind))
        throw refused(`the step \`${id}\` is of the kind \`${action.kind}\``, action.kind);
      return;
    case "agent":
      if (!allow.includes("agent")) throw refused(`the step \`${id}\` is of the kind \`agent\``, "agent");
      if (!agents.has(action.agent))
        throw new SegnoError(
          "KIND_REFUSED",
          `the step \`${id}\` names the agent \`${action.agent}\`, which is not registered for contracts of the API`,
        );
      return;
    case "workflow":
    case "map":
    case "repeat":
    case "wait":
    case "approve":
    case "barrier":
      return;
    default:
      action satisfies never;
      throw refused(`the step \`${id}\` is of an unknown kind`, "module");
  }
}

function refused(what: string, kind: AllowedKind): SegnoError {
  return new SegnoError("KIND_REFUSED", `${what}, and this server does not allow \`${kind}\` in contracts of the API`);
}
