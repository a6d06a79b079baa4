/** How the command ends. Scripts rely on these; docs and `--help` name them. */
export const EXIT_CODES = {
  ok: 0,
  /** The command line itself is wrong. */
  usage: 2,
  /** A contract, or what was given for it, is wrong or cannot be read. */
  invalid: 3,
  /** Segno itself is wrong. */
  bug: 70,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
