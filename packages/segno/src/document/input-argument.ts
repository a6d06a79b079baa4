// Reads the argument of `--input` or `--payload`: JSON, or `@` followed by the name of a JSON file.

import { groupedDigits } from "@segno/contract";
import { closeSync, openSync, readSync, statSync } from "node:fs";

import { SegnoError, VALUE_BYTES_MAX, type Json } from "@segno/kernel";

import { UsageError } from "../errors/usage-error.ts";
import { readStandardInput, STANDARD_INPUT } from "./standard-input.ts";

const CHUNK_BYTES = 65_536;

export async function readInputArgument(argument: string, option: string = "--input"): Promise<Json> {
  if (!argument.startsWith("@")) return parseJson(argument, option, option);
  const file = argument.slice(1);
  return parseJson(file === STANDARD_INPUT ? await standardInput() : fileText(file), file, option);
}

async function standardInput(): Promise<string> {
  const bytes = await readStandardInput(VALUE_BYTES_MAX);
  if (bytes.length > VALUE_BYTES_MAX) throw tooLarge("<stdin>", "more");
  return new TextDecoder().decode(bytes);
}

function fileText(file: string): string {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw unreadable(file, "it is a folder");
    if (stat.size > VALUE_BYTES_MAX) throw tooLarge(file, `${groupedDigits(stat.size)} bytes`);
    return boundedText(file);
  } catch (error) {
    if (error instanceof SegnoError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(file, code === "ENOENT" ? "there is no such file" : message);
  }
}

/** A device or a pipe has no size and may have no end. */
function boundedText(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(descriptor, chunk);
      if (count === 0) return Buffer.concat(chunks).toString("utf8");
      chunks.push(chunk.subarray(0, count));
      length += count;
      if (length > VALUE_BYTES_MAX) throw tooLarge(file, "more");
    }
  } finally {
    closeSync(descriptor);
  }
}

function parseJson(text: string, where: string, option: string): Json {
  try {
    return JSON.parse(text.replace(/^\ufeff/u, "")) as Json;
  } catch (error) {
    const hint = where === option ? `; write for example ${option} '{"tag":"v1"}', or ${option} @file.json` : "";
    throw new UsageError(`expected JSON in ${where}, but ${(error as Error).message}${hint}`);
  }
}

function unreadable(file: string, reason: string): SegnoError {
  return new SegnoError("INPUT_UNREADABLE", `${file}: expected a file with the input, but ${reason}`);
}

function tooLarge(file: string, found: string): SegnoError {
  return new SegnoError(
    "VALUE_TOO_LARGE",
    `${file}: expected at most ${groupedDigits(VALUE_BYTES_MAX)} bytes, found ${found}`,
  );
}
