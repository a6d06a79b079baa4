// Options of the run of a seed.

export interface SimulationOptions {
  /** Keeps a log line for each task. */
  readonly isLogged?: boolean;
}
