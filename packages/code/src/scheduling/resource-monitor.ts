import { availableParallelism, loadavg } from "node:os";

/** The port to the resources of the machine. */
export interface ResourceMonitor {
  getAvailable(): AvailableResources;
}

/** The free resources of the machine. */
export interface AvailableResources {
  /** The number of processors that are free; 0.5 is half of one. */
  readonly cpu: number;
}

/** The processors that the load of the last minute leaves free. Windows reports no load, so all of them are free there. */
export const systemResources: ResourceMonitor = {
  getAvailable: () => ({ cpu: Math.max(0, availableParallelism() - loadavg()[0]!) }),
};
