// Addresses under which SQLite opens a file in a special way. Nothing of the engine is loaded for them.

import { pathToFileURL } from "node:url";

/** SQLite never empties the shared memory of a file that is opened under this address. */
export function sharedUrl(file: string): URL {
  return toUrl(file, "readonly_shm");
}

/** SQLite takes no locks and looks for no log: the file has to stay as it is. */
export function frozenUrl(file: string): URL {
  return toUrl(file, "immutable");
}

function toUrl(file: string, parameter: "immutable" | "readonly_shm"): URL {
  const url = pathToFileURL(file);
  url.searchParams.set(parameter, "1");
  return url;
}
