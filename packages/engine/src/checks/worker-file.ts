// The entry files of worker threads. Each lies beside the module that starts it, with the same extension: TypeScript in
// the workspace, JavaScript in the published package. A program bundled into one file has no such files.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `moduleUrl` is the `import.meta.url` of the calling module; bundlers leave it undefined in CommonJS. */
export function findWorkerFile(moduleUrl: string | undefined, name: string): string | undefined {
  if (moduleUrl === undefined) return undefined;
  const file = fileURLToPath(new URL(name + (moduleUrl.endsWith(".ts") ? ".ts" : ".js"), moduleUrl));
  return existsSync(file) ? file : undefined;
}

export function workerFile(moduleUrl: string | undefined, name: string): string {
  const file = findWorkerFile(moduleUrl, name);
  if (file !== undefined) return file;
  throw new Error(
    `${name}.js is missing: the program was bundled, and worker threads need the files of @segno/engine; leave segno out of the bundle (with esbuild: --packages=external)`,
  );
}
