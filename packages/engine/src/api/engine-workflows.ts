// The workflows and agents of an engine: how they are registered, checked and started.

import type { CheckedInput } from "@segno/contract";
import { SegnoError, type Definition, type ExecutionId, type Json } from "@segno/kernel";
import { canRun, toAgent, type GivenAgent } from "../agents/agent.ts";
import { AGENT_EXPECTED, checkAgentName } from "./agent-check.ts";
import { segnoCode } from "../checks/segno-code.ts";
import { invalidOption } from "../checks/option-error.ts";
import { assertNotAborted } from "../inbox/cancel-signal.ts";
import type { ExecutionStarter } from "../inbox/execution-starter.ts";
import { checkStartOptions } from "../inbox/start-options-check.ts";
import type { StartOptions } from "../inbox/start-options.ts";
import type { InputCheck } from "../registry/input-check.ts";
import type { BuiltWorkflow, RegisteredWorkflow, Registry, RegistryOptions } from "../registry/registry.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";

export interface EngineWorkflowsPorts {
  readonly registry: Registry;
  readonly inputs: InputCheck;
  readonly admission: Pick<AdmissionController, "findProblem">;
  readonly starter: ExecutionStarter;
}

export class EngineWorkflows {
  readonly #ports: EngineWorkflowsPorts;

  constructor(ports: EngineWorkflowsPorts) {
    this.#ports = ports;
  }

  registerAll({ workflows = [], agents = {} }: RegistryOptions): void {
    for (const workflow of workflows) this.register(workflow);
    for (const [name, agent] of Object.entries(agents)) this.addAgent(name, agent);
  }

  register(workflow: Definition | BuiltWorkflow): RegisteredWorkflow {
    return this.#ports.registry.register(workflow);
  }

  addAgent(name: string, agent: GivenAgent): void {
    if (!canRun(agent)) throw invalidOption(name, AGENT_EXPECTED, agent);
    checkAgentName(name, agent);
    this.#ports.registry.addAgent(name, toAgent(agent));
  }

  async start(
    workflow: Definition | BuiltWorkflow | string,
    given: Json | CheckedInput | undefined,
    options: StartOptions,
  ): Promise<ExecutionId> {
    const { registry, admission, starter } = this.#ports;
    checkStartOptions(options);
    const registered = typeof workflow === "string" ? this.#find(workflow) : this.register(workflow);
    const problem = admission.findProblem(registered.definition);
    if (problem !== undefined) throw new SegnoError("RESOURCE_TOO_LARGE", problem);
    registry.assertEnds(registered);
    // Without a schema the engine copies the input before it awaits anything, because the caller may change the object
    // after the call.
    const input = given ?? null;
    const validated = this.#ports.inputs.validate(registered, input)?.catch((error: unknown) => {
      throw given === undefined ? missingInput(error) : error;
    });
    const valid = validated === undefined ? input : await validated;
    assertNotAborted(options.signal);
    return starter.start(registered, this.#copyInput(registered, valid, given === undefined), options);
  }

  #copyInput(registered: RegisteredWorkflow, input: Json | CheckedInput, isMissing: boolean): Json {
    try {
      return this.#ports.inputs.copy(registered, input);
    } catch (error) {
      throw isMissing ? missingInput(error) : error;
    }
  }

  #find(workflow: string): RegisteredWorkflow {
    const registered = this.#ports.registry.workflow(workflow);
    if (registered === undefined) throw new SegnoError("WORKFLOW_UNKNOWN", `no workflow \`${workflow}\` is registered`);
    return registered;
  }
}

/** Null does not fit the schema, but the caller did not write null. */
function missingInput(error: unknown): unknown {
  if (segnoCode(error) !== "INPUT_INVALID") return error;
  const { code, message } = error as SegnoError;
  return new SegnoError(code, `${message} (the start has no input: pass it after the workflow)`, { cause: error });
}
