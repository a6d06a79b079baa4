// A program that a test starts many times, in one file: finding, reading and linking its modules would take most of the
// time. The result does not depend on Node's compile cache, which a process that is killed never writes.

import { buildSync } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A store looks for the code of its thread beside the module that starts it, which is the program here. */
const WRITER = fileURLToPath(new URL("../src/store/sqlite/writer-worker.ts", import.meta.url));

/** Builds the program and returns its file. The folder of the file is removed when this process ends. */
export function bundleProgram(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-bundled-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const entry of [source, WRITER])
    buildSync({
      entryPoints: [entry],
      outfile: join(folder, `${basename(entry, ".ts")}.js`),
      bundle: true,
      platform: "node",
      format: "esm",
      // Some dependencies are CommonJS, and esbuild gives an ES module no `require`.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
  return join(folder, `${basename(source, ".ts")}.js`);
}
