// The keys of a step, in the order in which people write them. This table is the only list of them: the kinds of steps, the
// order in YAML, the options of the builder and the checks between keys are derived from it, and the compiler compares it with
// the models and with the kernel's definition.

import "@segno/contract/node-version";
import type { StepDefinition } from "@segno/kernel";

interface StepKeyTraits {
  /**
   * A step has exactly one `call` or `control` key: what it does. A runner executes a call, the kernel acts on a control key.
   * A compensation has exactly one `call` key.
   */
  readonly role: "identity" | "call" | "control" | "option";
  /**
   * How the TypeScript builder takes an option: `same` as a contract has it, with typed `ids`, or as part of the step's `work`.
   */
  readonly builder?: "same" | "ids" | "work";
  /** Set where a compensation has the option, too. */
  readonly isOfCompensation?: true;
  /** The actions beside which the option has no effect, each with a hint. The check refuses the option there. */
  readonly isIdleBeside?: Readonly<Partial<Record<ControlKey, string>>>;
  /** The only actions beside which the option has an effect. The check refuses it beside every other action. */
  readonly isOnlyFor?: readonly CallKey[];
}

type ControlKey = "workflow" | "map" | "repeat" | "wait" | "approve" | "barrier";
type CallKey = "run" | "exec" | "agent" | "http";

export const STEP_KEYS = {
  id: { role: "identity" },
  name: { role: "option", builder: "same" },
  run: { role: "call" },
  exec: { role: "call" },
  agent: { role: "call" },
  http: { role: "call" },
  workflow: { role: "control" },
  map: { role: "control" },
  repeat: { role: "control" },
  wait: { role: "control" },
  approve: { role: "control" },
  barrier: { role: "control" },
  dependsOn: { role: "option", builder: "ids" },
  when: { role: "option", builder: "same" },
  enabled: { role: "option", builder: "same" },
  input: { role: "option", builder: "same", isOfCompensation: true },
  inputSchema: { role: "option", builder: "same" },
  env: { role: "option", builder: "work", isOfCompensation: true },
  cwd: { role: "option", builder: "work", isOfCompensation: true, isOnlyFor: ["run", "exec"] },
  shell: { role: "option", builder: "work", isOfCompensation: true, isOnlyFor: ["run"] },
  stdin: { role: "option", builder: "work", isOfCompensation: true, isOnlyFor: ["run", "exec"] },
  artifacts: { role: "option", builder: "same", isOnlyFor: ["run", "exec", "agent"] },
  secrets: { role: "option", builder: "same", isOfCompensation: true },
  output: { role: "option", builder: "same" },
  private: { role: "option", builder: "same" },
  retry: {
    role: "option",
    builder: "same",
    isOfCompensation: true,
    isIdleBeside: {
      wait: "a wait has no attempts",
      approve: "an approval has no attempts",
      barrier: "a barrier has no attempts",
      map: "write it on the steps of the map: each item has its own retries",
      repeat: "write it on the steps of the repeat: each iteration has its own retries",
      workflow: "write it on the steps of that workflow",
    },
  },
  timeout: {
    role: "option",
    builder: "same",
    isOfCompensation: true,
    isIdleBeside: {
      wait: "write the timeout of a signal inside `wait`: `wait: { signal, timeout }`",
      approve: "write `expires` in `approve`",
      barrier: "write it on the steps that the barrier waits for",
    },
  },
  onError: { role: "option", builder: "same" },
  fallback: { role: "option", builder: "ids" },
  compensate: { role: "option", builder: "work" },
  priority: { role: "option", builder: "same" },
  resources: {
    role: "option",
    builder: "same",
    isIdleBeside: {
      wait: "a wait uses no slot and no resources",
      approve: "an approval uses no slot and no resources",
      barrier: "a barrier uses no slot and no resources",
      workflow: "write it on the steps of that workflow",
    },
  },
  limits: {
    role: "option",
    builder: "same",
    isIdleBeside: {
      wait: "a wait uses no slot and no resources",
      approve: "an approval uses no slot and no resources",
      barrier: "a barrier uses no slot and no resources",
      workflow: "write it on the steps of that workflow",
    },
  },
} as const;

export type StepKey = keyof typeof STEP_KEYS;

/** A definition has the action of a step in one field, which a contract spells as the key of its kind. */
type DefinedKey = CallKey | ControlKey | Exclude<keyof StepDefinition, "action">;

/** Compiles only while the table has every key of the kernel's definition, and no other key. */
const TABLE: Readonly<Record<DefinedKey, StepKeyTraits>> & Readonly<Record<Exclude<StepKey, DefinedKey>, never>> =
  STEP_KEYS;

type KeysWith<Traits> = { [Key in StepKey]: (typeof STEP_KEYS)[Key] extends Traits ? Key : never }[StepKey];

export type CallKind = KeysWith<{ readonly role: "call" }>;
export type StepKind = CallKind | KeysWith<{ readonly role: "control" }>;
/** The options that the builder takes as a contract has them. */
export type SameOption = KeysWith<{ readonly builder: "same" }>;
/** The keys that the builder writes from a step's work. */
export type WorkKey = StepKind | KeysWith<{ readonly builder: "work" }>;
export type CompensationKey = CallKind | CompensationOption;
export type CompensationOption = KeysWith<{ readonly isOfCompensation: true }>;

const TRAITS = Object.entries(TABLE) as readonly (readonly [StepKey, StepKeyTraits])[];

export const STEP_ORDER: readonly StepKey[] = TRAITS.map(([key]) => key);

/** The keys of which a step has exactly one. */
export const STEP_KINDS: readonly StepKind[] = keysWith("call", "control") as readonly StepKind[];

/** The keys of which a compensation has exactly one. */
export const CALL_KINDS: readonly CallKind[] = keysWith("call") as readonly CallKind[];

export interface IdleOption {
  readonly option: StepKey;
  readonly otherKey: StepKey;
  readonly hint: string;
}

export const IDLE_OPTIONS: readonly IdleOption[] = TRAITS.flatMap(([option, { isIdleBeside = {}, isOnlyFor }]) => [
  ...Object.entries(isIdleBeside).map(([otherKey, hint]) => ({ option, otherKey: otherKey as StepKey, hint })),
  ...(isOnlyFor === undefined ? [] : otherActions(option, isOnlyFor)),
]);

function otherActions(option: StepKey, actions: readonly CallKey[]): readonly IdleOption[] {
  const hint = `write it on a step with ${actions.map((action) => `\`${action}\``).join(" or ")}`;
  return STEP_KINDS.filter((kind) => !(actions as readonly string[]).includes(kind)).map((otherKey) => ({
    option,
    otherKey,
    hint,
  }));
}

function keysWith(...roles: readonly StepKeyTraits["role"][]): readonly StepKey[] {
  return TRAITS.filter(([, { role }]) => roles.includes(role)).map(([key]) => key);
}
