// The reason why a module with a workflow cannot be used, with the line of the user's code.

import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { LocatedProblem } from "@segno/contract";
import { thrownMessage } from "@segno/kernel/thrown-text";

import { isSegnoError } from "../errors/segno-error.ts";

export interface ModuleFailure {
  readonly problem: LocatedProblem;
  /** The text of the file that the problem is in. */
  readonly text: string | undefined;
}

interface CodePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `file` is the path of the module, as the user wrote it. */
export function importFailure(error: unknown, file: string): ModuleFailure {
  const { code, message } = describeError(error);
  const position = findPosition(error);
  if (position === undefined)
    return { problem: { code, file, line: 1, column: 1, path: [], message }, text: undefined };
  const { line, column } = position;
  const shownFile = position.file === resolve(file) ? file : relative(process.cwd(), position.file);
  return { problem: { code, file: shownFile, line, column, path: [], message }, text: readText(position.file) };
}

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  const message = thrownMessage(error);
  if (isSegnoError(error)) return { code: error.code, message };
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const shownName = error instanceof Error && error.name !== "Error" ? `${error.name}: ` : "";
  const reason = typeof code === "string" ? `${shownName}${message} (${code})` : `${shownName}${message}`;
  return { code: "WORKFLOW_MODULE_FAILED", message: `the module cannot be imported: ${reason}` };
}

/** The first position in the stack that is neither in Node.js nor in an installed package. */
function findPosition(error: unknown): CodePosition | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  if (stack === undefined) return undefined;
  const lines = stack.split("\n");
  for (const [index, line] of lines.entries()) {
    const match = /(?<path>(?:file:\/\/)?\/[^\s():]+(?:\.[cm]?[jt]s)):(?<line>\d+)(?::(?<column>\d+))?\)?$/u.exec(line);
    const position = match === null ? undefined : toPosition(match.groups!, lines.slice(index + 1));
    if (position !== undefined) return position;
  }
  return undefined;
}

/** A syntax error has no column; a line with marks below the source shows it. */
function toPosition(found: Readonly<Record<string, string>>, below: readonly string[]): CodePosition | undefined {
  const file = found["path"]!.startsWith("file:") ? fileURLToPath(found["path"]!) : found["path"]!;
  if (!existsSync(file) || isOwn(file)) return undefined;
  const marks = below.slice(0, MARKS_WITHIN).find((line) => /^\s*\^+\s*$/u.test(line));
  const column = found["column"] === undefined ? (marks?.indexOf("^") ?? 0) + 1 : Number(found["column"]);
  return { file, line: Number(found["line"]), column };
}

const MARKS_WITHIN = 4;

/** In an installed package, or in the sources of a checkout of Segno. */
function isOwn(file: string): boolean {
  return /\/node_modules\/|\/packages\/(?:kernel|planner|contract|engine|code|segno)\/src\//u.test(file);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
