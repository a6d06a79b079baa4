// `segno completions`: a script that teaches a shell to complete.

import type { Shell } from "../completion/shell.ts";
import { SHELL_SCRIPTS } from "../completion/shell-scripts.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";

export async function completions(shell: Shell, _: object, terminal: Terminal): Promise<ExitCode> {
  terminal.print(SHELL_SCRIPTS[shell]);
  return EXIT_CODES.ok;
}
