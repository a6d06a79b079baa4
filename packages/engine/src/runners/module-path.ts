// Resolves the names of modules in contracts and configurations to paths. Threads use this file too, so it imports nothing heavy.

import "@segno/contract/node-version";
import nodeModule from "node:module";
import { isAbsolute, resolve as absolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Resolves paths and file URLs against the folder, and any other name as a package visible from there. An unknown
 * package name is returned as a path: the attempt that needs it reports that it does not exist (MA4).
 */
export function modulePath(folder: string, module: string): string {
  // A URL that is not a path stays as it is; the attempt that needs it fails (MA3).
  if (module.startsWith("file:")) return tryFileUrlToPath(module) ?? module;
  if (/^\.\.?(?:[/\\]|$)/u.test(module) || isAbsolute(module)) return absolute(folder, module);
  const url = packageUrl(folder, module);
  return url?.startsWith("file:") === true ? fileURLToPath(url) : absolute(folder, module);
}

/** Returns `undefined` for a URL that is not a local file, such as one with a host. */
function tryFileUrlToPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * Node.js resolves packages from the importing file. A temporary hook makes it resolve this one name from the folder.
 */
function packageUrl(folder: string, name: string): string | undefined {
  const parentURL = pathToFileURL(`${absolute(folder)}/`).href;
  const hooks = nodeModule.registerHooks({
    resolve: (specifier, context, next) => next(specifier, { ...context, parentURL }),
  });
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  } finally {
    hooks.deregister();
  }
}
