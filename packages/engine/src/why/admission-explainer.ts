// The scheduler's reasons why steps of an execution wait. The owner of the store asks its scheduler; another process
// reconstructs that scheduler from the journals.

import type { ExecutionId } from "@segno/kernel";
import type { Executions } from "../executions/executions.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";
import { toAdmissionReason } from "./admission-reasons.ts";
import type { AdmissionReason } from "./reason.ts";
import { reconstructReasons, type ReconstructionPorts } from "./reconstruction.ts";

export type StepReasons = (step: number) => readonly AdmissionReason[];

export interface AdmissionExplainerPorts {
  readonly executions: Executions;
  readonly admission: AdmissionController;
  readonly reconstruction: ReconstructionPorts;
}

export class AdmissionExplainer {
  readonly #ports: AdmissionExplainerPorts;

  constructor(ports: AdmissionExplainerPorts) {
    this.#ports = ports;
  }

  async reasons(id: ExecutionId): Promise<StepReasons> {
    const { executions, reconstruction } = this.#ports;
    return executions.isOwned ? (step) => this.#reasonsHere(id, step) : reconstructReasons(reconstruction, id);
  }

  #reasonsHere(id: ExecutionId, step: number): readonly AdmissionReason[] {
    const { executions, admission } = this.#ports;
    const live = executions.live(id);
    return live === undefined ? [] : admission.why(live, step).map(toAdmissionReason);
  }
}
