// The registry: workflows by name, programs by the hash of their definition, agents by name.

import { canonicalHash, definitionText } from "../checks/definition-text.ts";
import { compileOnce } from "@segno/contract";
import {
  createState,
  SegnoError,
  type ContentHash,
  type Definition,
  type Json,
  type Program,
  type State,
} from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { callCycle, toCaller, type Caller } from "./call-cycle.ts";
import { calledWorkflows, referencesIn } from "./called-workflows.ts";
import { checkName } from "../checks/names.ts";
import { isObject } from "../checks/option-rules.ts";
import type { Agent, GivenAgent } from "../agents/agent.ts";

/** A workflow made by the builder: a definition, and the functions of its steps. */
export interface BuiltWorkflow<Given = unknown, Output = unknown> {
  readonly definition: Definition;
  readonly agents: ReadonlyMap<string, Agent>;
  /** The workflows that it calls and includes. */
  readonly children?: readonly BuiltWorkflow[] | undefined;
  /** Validates and converts the input with its schema, before anything is created. Rejects with INPUT_INVALID. */
  readonly validate?: ((input: unknown) => Promise<Json>) | undefined;
  /** Never present at run time: it carries the types of the input and of the output. */
  readonly types?: { readonly given: Given; readonly output: Output };
}

/** A workflow that an engine knows, compiled and with its hash. */
export interface RegisteredWorkflow {
  readonly definition: Definition;
  readonly hash: ContentHash;
  readonly program: Program;
  readonly text: string;
  readonly caller: Caller;
  /** The references of its `workflow` steps. */
  readonly references: readonly string[];
  readonly validate?: BuiltWorkflow["validate"];
  /** The functions of its steps. */
  readonly agents?: BuiltWorkflow["agents"];
}

/** The engine options that fill the registry. */
export interface RegistryOptions {
  /** Workflows to register, as with `Engine.register`. */
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  /** Agents to register by name, as with `Engine.agent`. They replace those that workflows bring under these names. */
  readonly agents?: Readonly<Record<string, GivenAgent>>;
}

export class Registry {
  /** The agents that were given to the engine. They have precedence over those of workflows. */
  readonly #givenAgents = new Map<string, Agent>();
  /** The agents of all registered workflows. If two have one name, the last one counts. */
  readonly #workflowAgents = new Map<string, Agent>();
  readonly #isSequential: boolean;
  #onRegistered: () => void = () => undefined;
  #recentName: string | undefined;
  #recentAgent: Agent | undefined;
  readonly #workflows = new Map<string, RegisteredWorkflow>();
  readonly #programs: Map<ContentHash, Program> = new Map();
  readonly #texts = new Map<ContentHash, string>();
  readonly #known = new WeakMap<object, RegisteredWorkflow>();

  /** `isSequential` is true when the steps of an execution run one after the other. */
  constructor(isSequential: boolean) {
    this.#isSequential = isSequential;
  }

  /** Calls back when a new workflow or agent is registered. */
  onRegistered(listener: () => void): void {
    this.#onRegistered = listener;
  }

  /**
   * The state of an execution before its first event. With the strategy `sequential` its steps take turns (ruling 52).
   */
  newState(program: Program): State {
    return createState(program, this.library, this.#isSequential);
  }

  /** The programs of all known definitions. The fold of an execution uses them for its sub-workflows. */
  get library(): ReadonlyMap<ContentHash, Program> {
    return this.#programs;
  }

  addAgent(name: string, agent: Agent): void {
    this.#givenAgents.set(name, agent);
    this.#recentName = undefined;
    this.#onRegistered();
  }

  /**
   * The agent that was given to the engine, or else the one of the workflow with which the execution was started here, or
   * else the one of a registered workflow.
   */
  agent(name: string, started: BuiltWorkflow["agents"] | undefined): Agent | undefined {
    return this.#givenAgent(name) ?? started?.get(name) ?? this.#workflowAgents.get(name);
  }

  /** Caches the last agent, because consecutive steps mostly have the same one. */
  #givenAgent(name: string): Agent | undefined {
    if (this.#recentName === name) return this.#recentAgent;
    this.#recentName = name;
    this.#recentAgent = this.#givenAgents.get(name);
    return this.#recentAgent;
  }

  register(workflow: Definition | BuiltWorkflow): RegisteredWorkflow {
    const known = this.#known.get(workflow);
    if (known !== undefined) return known;
    const definition = definitionIn(workflow);
    checkName("the name of a workflow", definition.name);
    if ("definition" in workflow) {
      for (const [name, agent] of workflow.agents) this.#workflowAgents.set(name, agent);
      for (const child of workflow.children ?? []) this.register(child);
    }
    const compiled = this.#compile(definition);
    const registered =
      "definition" in workflow ? { ...compiled, validate: workflow.validate, agents: workflow.agents } : compiled;
    this.#workflows.set(definition.name, registered);
    if (definition.version !== undefined) this.#workflows.set(`${definition.name}@${definition.version}`, registered);
    this.#known.set(workflow, registered);
    this.#onRegistered();
    return registered;
  }

  workflow(name: string): RegisteredWorkflow | undefined {
    return this.#workflows.get(name);
  }

  /** The workflows that an execution of it may call, directly or indirectly, by reference. */
  calledBy(registered: RegisteredWorkflow): ReadonlyMap<string, RegisteredWorkflow> {
    return calledWorkflows(registered, (reference) => this.#workflows.get(reference));
  }

  /** Workflows may be registered in any order, so the check for cycles runs when one of them starts. */
  assertEnds({ caller }: RegisteredWorkflow): void {
    const cycle = callCycle(caller, (name) => (name === caller.name ? caller : this.#workflows.get(name)?.caller));
    if (cycle === undefined) return;
    throw new SegnoError("WORKFLOW_CYCLE", `these workflows call each other and never end: ${cycle.join(" -> ")}`);
  }

  program(hash: ContentHash): Program | undefined {
    return this.#programs.get(hash);
  }

  text(hash: ContentHash): string | undefined {
    return this.#texts.get(hash);
  }

  /** Compiles a definition that was read from the store. */
  restore(text: string): Program {
    return this.#compile(definitionIn(parseDefinition(text))).program;
  }

  #compile(definition: Definition): RegisteredWorkflow {
    const result = compileOnce(definition);
    if (result.kind === "problems") {
      const list = result.problems
        .map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`))
        .join("; ");
      throw new SegnoError("DEFINITION_INVALID", `the workflow \`${definition.name}\` cannot run: ${list}`);
    }
    const text = definitionText(definition);
    const hash = canonicalHash(text);
    this.#programs.set(hash, result.program);
    this.#texts.set(hash, text);
    return {
      definition,
      hash,
      program: result.program,
      text,
      caller: toCaller(definition),
      references: referencesIn(definition),
    };
  }
}

function parseDefinition(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SegnoError("DEFINITION_INVALID", "a definition in the store is not JSON", { cause });
  }
}

/** An untyped caller may pass any value. */
function definitionIn(workflow: unknown): Definition {
  const given = isObject(workflow) && "definition" in workflow ? workflow.definition : workflow;
  if (isObject(given) && Array.isArray((given as Partial<Definition>).steps)) return given as Definition;
  throw new SegnoError(
    "DEFINITION_INVALID",
    `a workflow must be the result of \`workflow(...)\` or a definition, an object with a name and a list of steps, not ${describeValue(workflow)}`,
  );
}
