// The table of `segno code status`.

import type { CodeReport, PullRequestReport, TaskProgress, TaskReport } from "@segno/code";
import type { ExecutionStatus } from "@segno/kernel";

import { commandName } from "../journal/journal-options.ts";
import { idPrefix } from "../lookup/short-id.ts";
import { escalatedTask } from "../progress/escalated-task.ts";
import { pullRequestText } from "./pull-request-text.ts";
import { statusTone } from "../reports/status-tone.ts";
import { paintedLine } from "../terminal/painted-line.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { displayWidth, pad } from "../terminal/text-layout.ts";

const TONES: Readonly<Record<TaskProgress, keyof Palette>> = {
  waiting: "quiet",
  working: "accent",
  merging: "accent",
  fixing: "caution",
  "needs approval": "caution",
  "needs a decision": "caution",
  landed: "good",
  failed: "bad",
  skipped: "quiet",
};

export function codeStatusText(
  id: string,
  status: ExecutionStatus,
  report: CodeReport & { readonly pullRequests: readonly PullRequestReport[] },
  { palette, columns }: Terminal,
): string {
  const { tasks, usage, landingError, question, pullRequests } = report;
  const width = Math.max(4, ...tasks.map(({ task }) => displayWidth(safeText(task))));
  const done = tasks.filter(({ progress }) => progress === "landed").length;
  const cost = usage.costUsd === undefined ? "" : `  $${usage.costUsd.toFixed(2)}`;
  const lines = [
    `${palette.accent(safeText(idPrefix(id)))}  ${palette[statusTone(status)](status)}  ${done}/${tasks.length} tasks landed${cost}`,
    palette.quiet(
      `${pad("task", width)}  ${pad("progress", 16)}  ${"fixes".padStart(5)}  ${"files".padStart(5)}  commit`,
    ),
    ...tasks.map((task) => taskLine(task, width, palette, columns)),
    ...pullRequests.map((each) => palette.quiet(pullRequestText(each))),
    ...tasks.flatMap((task) => questionLines(id, task, palette)),
    ...(landingError === undefined ? [] : [`landing: ${palette.caution(safeText(landingError))}`]),
    ...(question === undefined ? [] : [questionLine(id, question, palette)]),
  ];
  return `${lines.join("\n")}\n`;
}

function taskLine(
  { task, progress, fixes, changedFiles, commit, summary, error }: TaskReport,
  width: number,
  palette: Palette,
  columns: number,
): string {
  const text = error ?? summary ?? "";
  return paintedLine(
    [
      { text: pad(safeText(task), width), paint: palette.title },
      { text: `  ${pad(progress, 16)}`, paint: palette[TONES[progress]] },
      { text: `  ${String(fixes).padStart(5)}  ${String(changedFiles.length).padStart(5)}` },
      { text: `  ${pad((commit ?? "").slice(0, 9), 9)}`, paint: palette.accent },
      { text: text === "" ? "" : `  ${safeText(text)}`, paint: palette.quiet },
    ],
    columns,
  );
}

function questionLines(id: string, { question }: TaskReport, palette: Palette): readonly string[] {
  return question === undefined ? [] : [questionLine(id, question, palette)];
}

/** An approval of a merge has a command of its own; other questions are answered by a vote. */
function questionLine(id: string, question: string, palette: Palette): string {
  const prefix = safeText(idPrefix(id));
  const command = question.endsWith("/approval")
    ? `${commandName()} code land --id ${prefix}`
    : `${commandName()} approve ${prefix} ${safeText(question)}`;
  const task = escalatedTask(question);
  const open = task === undefined ? undefined : `${commandName()} code open ${safeText(task)} --id ${prefix}`;
  const commands =
    open === undefined ? palette.accent(command) : `${palette.accent(open)}, then ${palette.accent(command)}`;
  return `${safeText(question)} waits for a person: ${commands}`;
}
