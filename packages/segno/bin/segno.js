#!/usr/bin/env node
// The command's entry. Plain JavaScript without newer syntax, so that an old Node can read it far enough to say what to
// do. `--version` loads nothing but the manifest: it is asked by scripts, and often.

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

/** A checkout runs its sources; what is published holds only what was emitted from them. */
function start() {
  const source = new URL("../src/cli.ts", import.meta.url);
  const isCheckout = existsSync(source);
  if (isCheckout) enableCompileCache();
  // NO_COLOR wins; where both are set Node would print a warning that says the opposite.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  import(isCheckout ? bundlePath() || source.href : new URL("../dist/cli.js", import.meta.url).href)
    .then(function (command) {
      return command.runCommand(words, manifest.version);
    })
    .catch(function (error) {
      const reason = error && error.message;
      process.stderr.write(`segno: cannot start: ${reason}\nThe installation may be damaged; install it again.\n`);
      process.exitCode = EXIT_BUG;
    });
}

/** The command of a checkout in one piece, which starts faster; nothing when there is none, or a source is newer. */
function bundlePath() {
  const piece = new URL("../../../node_modules/.cache/segno-command/cli.mjs", import.meta.url);
  if (!existsSync(piece)) return undefined;
  const made = statSync(piece).mtimeMs;
  const packages = new URL("../../", import.meta.url);
  for (const name of readdirSync(packages)) {
    const folder = fileURLToPath(new URL(`${name}/src`, packages));
    if (existsSync(folder) && hasNewer(folder, made)) return undefined;
  }
  return piece.href;
}

function hasNewer(folder, made) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (isSource(entry) && statSync(`${entry.parentPath}/${entry.name}`).mtimeMs > made) return true;
  return false;
}

/** Tests are half of the files, and none of them is in the piece. */
function isSource(entry) {
  return entry.isFile() && !entry.name.endsWith(".test.ts");
}

/** Stripping types is half of the time to start. The result is kept where whoever owns the checkout keeps such things. */
function enableCompileCache() {
  module.enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/segno", import.meta.url)));
}
