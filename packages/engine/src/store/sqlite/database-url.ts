// URLs that make SQLite open a file in a special mode. This file loads nothing of the engine.

import { pathToFileURL } from "node:url";

/** SQLite never truncates the shared memory of a file that is opened by this URL. */
export function sharedUrl(file: string): URL {
  return toUrl(file, "readonly_shm");
}

/** SQLite takes no locks and ignores any log, so the file must not change while it is open. */
export function frozenUrl(file: string): URL {
  return toUrl(file, "immutable");
}

function toUrl(file: string, parameter: "immutable" | "readonly_shm"): URL {
  const url = pathToFileURL(file);
  url.searchParams.set(parameter, "1");
  return url;
}
