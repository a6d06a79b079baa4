#!/usr/bin/env node
// The entry of the command. Plain JavaScript without newer syntax, so that an old Node.js can parse it and print what to do.
// `--version` loads only the manifest, because scripts call it often.

import { existsSync, readdirSync, readFileSync, statSync } from "fs";
import module from "module";
import { fileURLToPath } from "url";

const NODE_MAJOR_MIN = 24;
const EXIT_USAGE = 2;
const EXIT_BUG = 70;

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const words = process.argv.slice(2);

if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN) refuseOldNode();
else if (words.length === 1 && /^(--version|-V)$/.test(words[0])) process.stdout.write(`${manifest.version}\n`);
else start();

function refuseOldNode() {
  process.stderr.write(`segno needs Node.js ${NODE_MAJOR_MIN} or newer; this is ${process.version}.
Install it from https://nodejs.org, or with a version manager: nvm install ${NODE_MAJOR_MIN}
In a checkout of Segno, npx segno brings its own: run npm ci first.
`);
  process.exitCode = EXIT_USAGE;
}

/** A checkout runs its sources; the published package contains only the emitted files. */
function start() {
  const source = new URL("../src/cli.ts", import.meta.url);
  const isCheckout = existsSync(source);
  if (isCheckout) enableCompileCache();
  // NO_COLOR wins. If both are set, Node.js prints a warning that says the opposite.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  import(isCheckout ? bundlePath() || source.href : new URL("../dist/command/cli.js", import.meta.url).href)
    .then(function (command) {
      return command.runCommand(words, manifest.version);
    })
    .catch(function (error) {
      const reason = error && error.message;
      process.stderr.write(`segno: cannot start: ${reason}\nThe installation may be damaged; install it again.\n`);
      process.exitCode = EXIT_BUG;
    });
}

/**
 * The bundled command of a checkout, which starts faster; undefined if there is none, or if a source is newer. Reading the times of
 * all sources takes a quarter of a start, so the tests make a fresh bundle once and name it here.
 */
function bundlePath() {
  if (process.env.SEGNO_FRESH_BUNDLE) return process.env.SEGNO_FRESH_BUNDLE;
  const bundle = new URL("../../../node_modules/.cache/segno-command/cli.js", import.meta.url);
  if (!existsSync(bundle)) return undefined;
  const made = statSync(bundle).mtimeMs;
  const packages = new URL("../../", import.meta.url);
  for (const name of readdirSync(packages)) {
    const folder = fileURLToPath(new URL(`${name}/src`, packages));
    if (existsSync(folder) && hasNewer(folder, made)) return undefined;
  }
  return bundle.href;
}

function hasNewer(folder, made) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (isSource(entry) && statSync(`${entry.parentPath}/${entry.name}`).mtimeMs > made) return true;
  return false;
}

/** Tests are half of the files, and none of them is in the bundle. */
function isSource(entry) {
  return entry.isFile() && !entry.name.endsWith(".test.ts");
}

/** Stripping types takes half of the start-up time, so the result is cached in `node_modules/.cache`. */
function enableCompileCache() {
  module.enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/segno", import.meta.url)));
}
