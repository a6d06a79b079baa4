// `segno retry`: a failed execution opens a new round. Where nobody owns the journal, it runs here, as with `segno run`.

import type { ExecutionHandle } from "@segno/engine";
import { GRACE_DEFAULT } from "@segno/kernel";

import { ask, type Answer, type Wish } from "../executions/ask.ts";
import { startWorker } from "../executions/background-worker.ts";
import { findExecution } from "../executions/find-execution.ts";
import { commandName, placeWords } from "../executions/journal-place.ts";
import { openToAsk, openToRead, openToWork, type WorkOptions } from "../executions/open-engine.ts";
import { recount } from "../executions/recount.ts";
import type { ExitCode } from "../exit-code.ts";
import { attend } from "../live/attend.ts";
import { createView } from "../live/create-view.ts";
import { LogFeed } from "../live/log-feed.ts";
import { StopSignals } from "../live/stop-signals.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { reportAnswer } from "./answer-report.ts";
import { reportEnd, sayFault, type EndOptions } from "./end-report.ts";
import { letGoOf } from "./let-go.ts";

export interface RetryOptions extends WorkOptions, EndOptions {
  readonly detach?: boolean;
  readonly quiet?: boolean;
}

const WISH: Wish = {
  make: (handle) => handle.retry(),
  isThere: () => false,
  isPossible: (status) => status === "failed",
  // A round may be over before anybody has looked.
  isMet: ({ round }, before) => round > before.round,
};

export async function retry(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  const refusal = await refused(id, options, terminal);
  if (refusal !== undefined) return refusal;
  return options.detach === true ? detached(id, options, terminal) : attended(id, options, terminal);
}

/** Looked at before anything else: who is refused has begun nothing of what is unfinished. */
async function refused(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode | undefined> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, id);
  const { status } = await handle.status();
  if (WISH.isPossible(status)) return undefined;
  const answer: Answer = { kind: "refused", status };
  return reportAnswer({ verb: "retry", id: handle.id, answer, isElsewhere: false, options, terminal });
}

async function detached(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  let handle: ExecutionHandle;
  let answer: Answer;
  {
    await using engine = await openToAsk(options);
    handle = await findExecution(engine, id);
    answer = await ask(handle, WISH);
  }
  if (answer.kind === "done") await startWorker(options);
  return reportAnswer({ verb: "retry", id: handle.id, answer, isElsewhere: true, options, terminal });
}

async function attended(id: string, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  using signals = new StopSignals();
  const view = createView(terminal, options);
  try {
    const engine = await openToWork(options, sayFault(view));
    using feed = new LogFeed(engine);
    return await letGoOf({ engine, view, signals }, async () => {
      const handle = await findExecution(engine, id);
      // What happened in earlier rounds was told then.
      const progress = await recount(handle);
      const answer = await ask(handle, WISH);
      if (answer.kind !== "done" || !engine.isOwner) {
        view.close();
        const common = { verb: "retry", id: handle.id, answer, isElsewhere: !engine.isOwner };
        return { exitCode: reportAnswer({ ...common, options, terminal }), isLetGo: false };
      }
      view.say(startLine(handle, options, terminal));
      const followed = { engine, handle, progress, view, feed, endsWhenParked: true };
      const attendance = await attend({ ...followed, signals, graceMs: GRACE_DEFAULT });
      await reportEnd({ handle, progress, attendance, terminal, options });
      return attendance;
    });
  } finally {
    view.close();
  }
}

function startLine({ id }: ExecutionHandle, options: RetryOptions, { reportPalette: palette }: Terminal): string {
  const again = palette.accent(`${commandName()} work${placeWords(options)}`);
  return `${safeText(id)} is tried again; if this is interrupted: ${again}`;
}
