// The files that worker threads start with. Each lies beside the module that starts it, and has its extension: TypeScript in
// the workspace, JavaScript where it is published. A program that was bundled into one file has no such files.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `moduleUrl` is the `import.meta.url` of the module that asks; bundlers leave it undefined in CommonJS. */
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
