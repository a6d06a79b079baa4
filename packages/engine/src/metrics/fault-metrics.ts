// Counts of the faults of the store, by code. The codes are those of the catalogue, so their number is bounded.

import { StoreFault, type StoreFaultCode } from "../store/store-fault.ts";
import { engineMetrics } from "./engine-metrics.ts";
import type { Metric } from "./metric.ts";

export class FaultMetrics {
  readonly #counts = new Map<StoreFaultCode, number>();

  onFault(error: unknown): void {
    if (isStoreFault(error)) this.#counts.set(error.code, (this.#counts.get(error.code) ?? 0) + 1);
  }

  collect(): readonly Metric[] {
    const points = Array.from(this.#counts, ([code, value]) => ({ labels: { code }, value }));
    return [engineMetrics.scalars("segno_store_faults_total", points)];
  }
}

/** Any value may be reported, also one that throws when it is inspected. */
function isStoreFault(error: unknown): error is StoreFault {
  try {
    return error instanceof StoreFault;
  } catch {
    return false;
  }
}
