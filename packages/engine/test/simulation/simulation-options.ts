// Options of the run of a seed.

export interface SimulationOptions {
  /** Keeps a log line for each task. */
  readonly isLogged?: boolean;
  /** Agents make recorded calls before they do anything else. */
  readonly makesCalls?: boolean;
}
