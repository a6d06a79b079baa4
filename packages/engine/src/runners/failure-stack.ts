// The stacks of an error and of its causes, as the journal keeps them with a failure (FAIL-5).
//
//   FS1. A stack is masked before it is cut (DATA-9).
//   FS2. A stack has the frames of the program and of its dependencies. Frames of Node and of Segno are left out.
//   FS3. If there are too many frames, those of the program are kept and those of its dependencies are cut.
//   FS4. Files below the working directory are named relative to it: such names are short, and the same on every machine.
//   FS5. The stacks of a failure have a common limit, so a failure with many causes stays small.

import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Failure, TextFilter } from "@segno/kernel";
import { boundedText } from "@segno/kernel/mask-and-cut";

const FRAMES_MAX = 10;
const FRAME_LENGTH_MAX = 300;
const STACK_LENGTH_MAX = 2048;
const STACKS_LENGTH_MAX = 4096;

/** The folder that has the packages of Segno in a checkout; undefined where they are installed or bundled. */
const PACKAGES = packagesFolder();
const PACKAGE_FILE = /^\w+[\\/](?:src|dist)[\\/]/u;
const INSTALLED = /[\\/]node_modules[\\/](?:@segno[\\/]\w+|segno|\.cache[\\/]segno-command)[\\/]/u;
/** `async`, the function, and the place. */
const FRAME = /^\s+at (async )?(?:(.*) \()?(?:file:\/\/)?([^()]+:\d+:\d+)\)?\s*$/u;
const DEPENDENCY = /[\\/]?node_modules[\\/]/u;

/** Only a checkout has TypeScript. A bundle in CommonJS has no address. */
function packagesFolder(): string | undefined {
  const { url } = import.meta as { readonly url?: string };
  return url?.endsWith(".ts") === true ? fileURLToPath(new URL("../../../", url)) : undefined;
}

/** The failure with the stacks of the error that caused it, and of the causes of that error. */
export function withStacks(failure: Failure, error: unknown, maskText: TextFilter): Failure {
  const links: { readonly failure: Failure; readonly stack: string }[] = [];
  const known = new Set<string>();
  let left = STACKS_LENGTH_MAX;
  let thrown: unknown = error;
  for (let each: Failure | undefined = failure; each !== undefined; each = each.cause) {
    const stack = joinFrames(newFrames(keptFrames(thrown, maskText), known), Math.min(left, STACK_LENGTH_MAX));
    left -= stack.length;
    links.push({ failure: each, stack });
    thrown = readField(thrown, "cause");
  }
  return links.reduceRight<Failure | undefined>((cause, link) => linkedFailure(link, cause), undefined)!;
}

function linkedFailure({ failure, stack }: { failure: Failure; stack: string }, cause: Failure | undefined): Failure {
  const { cause: _, ...own } = failure;
  return { ...own, ...(stack === "" ? {} : { stack }), ...(cause === undefined ? {} : { cause }) };
}

/** A cause has most of its frames in common with the error around it. */
function newFrames(frames: readonly string[], known: Set<string>): readonly string[] {
  const fresh = frames.filter((frame) => !known.has(frame));
  for (const frame of fresh) known.add(frame);
  return fresh.length === 0 ? frames.slice(0, 1) : fresh;
}

function joinFrames(frames: readonly string[], lengthMax: number): string {
  let text = "";
  for (const frame of frames) {
    const longer = text === "" ? frame : `${text}\n${frame}`;
    if (longer.length > lengthMax) break;
    text = longer;
  }
  return text;
}

/** FS2, FS3. */
function keptFrames(thrown: unknown, maskText: TextFilter): readonly string[] {
  const folder = `${process.cwd()}${sep}`;
  const frames = frameLines(thrown, maskText).flatMap((line) => readFrame(line, folder));
  const isOwn = (frame: string): boolean => !DEPENDENCY.test(frame);
  const own = frames.filter(isOwn).length;
  let room = Math.max(0, FRAMES_MAX - own);
  return frames.filter((frame) => isOwn(frame) || room-- > 0).slice(0, FRAMES_MAX);
}

/** The lines behind the message, because a message may quote the stack of another error. */
function frameLines(thrown: unknown, maskText: TextFilter): readonly string[] {
  const stack = readField(thrown, "stack");
  if (typeof stack !== "string") return [];
  const message = readField(thrown, "message");
  const start = typeof message === "string" ? stack.indexOf(message) + message.length : 0;
  return maskText(boundedText(stack.slice(Math.max(0, start)))).split("\n");
}

/** `at` with the function and the place; nothing if the line is not a frame of the program or of a dependency. */
function readFrame(line: string, folder: string): readonly string[] {
  const match = FRAME.exec(line);
  if (match === null) return [];
  const [, waiting = "", name, place = ""] = match;
  if (isForeign(place)) return [];
  const shown = place.startsWith(folder) ? place.slice(folder.length) : place;
  const frame = `at ${waiting}${name === undefined ? shown : `${name} (${shown})`}`;
  return [frame.slice(0, FRAME_LENGTH_MAX).toWellFormed()];
}

/** A place in Node or in Segno, or code without a file. */
function isForeign(place: string): boolean {
  if (place.startsWith("node:") || place.startsWith("<") || INSTALLED.test(place)) return true;
  if (PACKAGES === undefined) return false;
  return place.startsWith(PACKAGES) && PACKAGE_FILE.test(place.slice(PACKAGES.length));
}

/** A thrown value may throw when it is read. */
function readField(thrown: unknown, field: "cause" | "stack" | "message"): unknown {
  try {
    return (thrown as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  } catch {
    return undefined;
  }
}
