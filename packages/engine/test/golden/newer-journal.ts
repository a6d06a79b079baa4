// Golden journals of a hypothetical newer Segno: valid except for an unknown version.

import { createHash } from "node:crypto";
import { EVENT_VERSION, type Event, type JsonObject } from "@segno/kernel";
import { CHAIN_START } from "../../src/journal/read-journal.ts";
import { encodeBlock } from "../../src/journal/block-encoding.ts";
import { readLines } from "./golden-database.ts";

/** The export format is newer. */
export function asNewerExport(journal: string): string {
  const [head, ...others] = readBody(journal);
  return ended([{ ...head, version: Number(head!["version"]) + 1 }, ...others]);
}

/** The event format is newer; chain, head and end line match. */
export function withNewerEvents(journal: string): string {
  let head = CHAIN_START;
  const lines = readBody(journal).map((line) => {
    if (line["kind"] !== "block") return line;
    const { block } = encodeBlock((line["body"] as string).split("\n").map(newerEvent), head);
    head = block.hash;
    return { kind: "block", ...block };
  });
  const first = lines[0] as JsonObject;
  const projection = { ...(first["projection"] as JsonObject), head };
  return ended([{ ...first, projection }, ...lines.slice(1)]);
}

function newerEvent(line: string): Event {
  return { ...(JSON.parse(line) as Event), v: EVENT_VERSION + 1 };
}

/** All lines but the last. */
function readBody(journal: string): readonly JsonObject[] {
  return readLines(journal)
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);
}

function ended(lines: readonly JsonObject[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return `${text}${JSON.stringify({ kind: "end", sha256: createHash("sha256").update(text).digest("hex") })}\n`;
}
