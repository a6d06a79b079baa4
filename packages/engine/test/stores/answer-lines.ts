// The side of a child process in a test: each line of its input is a task with an argument, and it answers each with a line.

import { createInterface } from "node:readline";
import { SegnoError } from "@segno/kernel";

export type LineTasks = Readonly<Record<string, (argument: string) => unknown>>;

/** Says the pid first. Returns when the input ends. */
export async function answerLines(tasks: LineTasks): Promise<void> {
  writeLine({ pid: process.pid });
  for await (const line of createInterface({ input: process.stdin })) {
    const [task = "", argument = ""] = line.split(" ");
    try {
      writeLine({ value: (await tasks[task]!(argument)) ?? null });
    } catch (error) {
      writeLine({ code: errorCode(error) });
    }
  }
}

export function errorCode(error: unknown): string {
  return error instanceof SegnoError ? error.code : String(error);
}

function writeLine(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
