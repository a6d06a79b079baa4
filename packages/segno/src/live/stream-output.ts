import type { CodeStepsOutput } from "../journal/code-steps.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { View } from "./view.ts";

/** The lines of a stream to stdout are printed above the live view if both are on a terminal. */
export function streamOutput({ window }: Terminal, view: View): CodeStepsOutput {
  if (window === undefined || !process.stdout.isTTY) return {};
  return {
    writeStdout: (text) => {
      for (const line of text.trimEnd().split("\n")) view.printNote(safeText(line));
    },
  };
}
