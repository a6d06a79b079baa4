// The report of `segno init`: the files that it wrote, and the next commands.

import { join, resolve } from "node:path";

import type { WrittenFiles } from "../init/first-files.ts";
import type { InitSettings } from "../init/init-settings.ts";
import { TEMPLATES } from "../init/templates.ts";
import { commandName } from "../journal/journal-options.ts";
import { safeText } from "../terminal/safe-text.ts";
import { shellWord } from "../terminal/shell-word.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function initReport(
  folder: string,
  settings: InitSettings,
  written: WrittenFiles,
  terminal: Terminal,
): readonly string[] {
  return [...writtenLines(folder, written, terminal), "", ...nextLines(folder, settings, terminal)];
}

function writtenLines(
  folder: string,
  { files, isIgnoreChanged }: WrittenFiles,
  { palette }: Terminal,
): readonly string[] {
  const place = (file: string): string => safeText(join(folder, file));
  return [
    ...files.map((file) => `${palette.good("wrote")} ${place(file)}`),
    ...(isIgnoreChanged ? [`${palette.good("wrote")} ${place(".gitignore")}: git ignores .segno/`] : []),
  ];
}

function nextLines(folder: string, { name, template }: InitSettings, { palette }: Terminal): readonly string[] {
  const { isProject, files, afterwards } = TEMPLATES[template];
  const command = isProject === true ? "npx segno" : commandName();
  const contract = shellWord(isProject === true ? Object.keys(files)[0]! : `${name}.yaml`);
  const usual: readonly (readonly [string, string])[] = [
    [`plan ${contract}`, "show what it would do"],
    [`run ${contract}`, "run it"],
  ];
  const commands = [...usual, ...afterwards];
  const width = Math.max(...commands.map(([words]) => words.length));
  const lines = commands.map(
    ([words, about]) =>
      `  ${palette.accent(`${command} ${words}`)}${" ".repeat(width - words.length)}  ${palette.quiet(about)}`,
  );
  const enter = resolve(folder) === process.cwd() ? [] : [`  ${palette.accent(`cd ${safeText(shellWord(folder))}`)}`];
  const install = isProject === true ? [`  ${palette.accent("npm install && npm test")}`] : [];
  return ["next:", ...enter, ...install, ...lines];
}
