// The message of the commit that holds an agent's work, with trailers that name its origin (CODE-4).

import type { CodeTask } from "../model/task.ts";

export interface CommitFacts {
  readonly task: Pick<CodeTask, "id" | "title" | "workflowId">;
  readonly attempt: number;
  readonly agentId: string;
  /** The text that the agent proposes. */
  readonly text: string | undefined;
}

const TEXT_MAX = 4000;
const TRAILER = /^segno-[a-z]+:/iu;

export function commitMessage({ task, attempt, agentId, text = "" }: CommitFacts): string {
  // An agent cannot forge the trailers.
  const lines = text
    .slice(0, TEXT_MAX)
    .split("\n")
    .filter((line) => !TRAILER.test(line.trim()));
  const body = lines.join("\n").trim();
  const trailers = [
    `Segno-Execution: ${task.workflowId}`,
    `Segno-Task: ${task.id}`,
    `Segno-Attempt: ${attempt}`,
    `Segno-Agent: ${oneLine(agentId)}`,
  ];
  return [oneLine(task.title), ...(body === "" ? [] : [body]), trailers.join("\n")].join("\n\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
