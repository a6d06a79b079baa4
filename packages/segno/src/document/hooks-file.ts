import { readFile } from "node:fs/promises";

import { SegnoError } from "@segno/kernel";
import type { Hook } from "@segno/server";

/** Reads the hooks of `segno serve` from a file with JSON: an object with a hook for each name. The server checks them. */
export async function readHooksFile(file: string): Promise<Readonly<Record<string, Hook>>> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new SegnoError("INPUT_UNREADABLE", `${file}: ${(cause as Error).message}`, { cause });
  });
  const hooks = parse(text, file);
  if (typeof hooks === "object" && hooks !== null && !Array.isArray(hooks)) return hooks as Record<string, Hook>;
  throw new SegnoError("OPTION_INVALID", `${file} has to be an object with a hook for each name`);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SegnoError("OPTION_INVALID", `${file} is not JSON: ${(error as Error).message}`);
  }
}
