// How a seed is run.

export interface SimulationOptions {
  /** Keep a line for each task. */
  readonly isLogged?: boolean;
}
