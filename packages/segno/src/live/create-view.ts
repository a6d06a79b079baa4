// Chooses the view, and restores the terminal when the process ends or is suspended.

import type { Terminal } from "../terminal/terminal.ts";
import { JsonlView } from "./jsonl-view.ts";
import { LiveView } from "./live-view.ts";
import { PlainView } from "./plain-view.ts";
import type { View } from "./view.ts";

export interface ViewOptions {
  readonly jsonl?: boolean;
  /** Hides the output of steps. */
  readonly quiet?: boolean;
  /** The view shows several executions. */
  readonly isShared?: boolean;
}

export function createView(terminal: Terminal, options: ViewOptions): View {
  const { jsonl = false, quiet = false, isShared = false } = options;
  const { print, report, window, reportPalette: palette, reportsInColor: color } = terminal;
  if (jsonl) return new JsonlView({ print, report, quiet });
  const common = { palette, color, quiet, isShared, now: Date.now };
  if (window === undefined) return new PlainView({ ...common, write: report });
  return guardView(new LiveView({ ...common, window, every }));
}

function every(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  return () => clearInterval(timer);
}

/** Restores the cursor however the process ends, and clears the region while the process is suspended. */
function guardView(view: LiveView): View {
  const close = (): void => view.close();
  /** An uncaught error with a listener may not end the process. */
  const closeUnlessHandled = (): void => {
    if (process.listenerCount("uncaughtException") === 0) view.close();
  };
  const stop = (): void => {
    view.suspend();
    process.kill(process.pid, "SIGSTOP");
  };
  process.on("exit", close);
  process.on("uncaughtExceptionMonitor", closeUnlessHandled);
  process.on("SIGTSTP", stop);
  return {
    onTracked: (execution) => view.onTracked(execution),
    onEvent: (...given) => view.onEvent(...given),
    onLines: (...given) => view.onLines(...given),
    onProgress: () => view.onProgress(),
    printNote: (text) => view.printNote(text),
    forget: (execution) => view.forget(execution),
    close: () => {
      view.close();
      process.off("exit", close);
      process.off("uncaughtExceptionMonitor", closeUnlessHandled);
      process.off("SIGTSTP", stop);
    },
  };
}
