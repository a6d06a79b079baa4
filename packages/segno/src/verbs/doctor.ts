// `segno doctor`: looks at what makes Segno work here, and says what to do about what does not. It changes nothing.

import { checkClock, checkTimeZone } from "../doctor/clock.ts";
import { problem, reasonOf, type Finding, type Verdict } from "../doctor/finding.ts";
import { checkIgnored } from "../doctor/ignored.ts";
import { checkJournal, writtenAt } from "../doctor/journal.ts";
import {
  askGit,
  checkGit,
  checkNode,
  checkProcesses,
  checkShell,
  checkSqlite,
  checkThreads,
} from "../doctor/platform.ts";
import { checkTerminal, checkVariables } from "../doctor/surroundings.ts";
import { journalFile, type PlaceOptions } from "../executions/journal-place.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapped } from "../terminal/text-layout.ts";

export interface DoctorOptions extends PlaceOptions {
  readonly json?: boolean;
}

type Look = () => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const findings: Finding[] = [];
  for (const [name, look] of Object.entries(looksAt(journalFile(options), terminal)))
    findings.push(...(await found(name, look)));
  const isWell = findings.every(({ verdict }) => verdict !== "problem");
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok: isWell, checks: findings })}\n`);
  else terminal.print(reportOf(findings, terminal));
  return isWell ? EXIT_CODES.ok : EXIT_CODES.failed;
}

/** In the order in which they are told. */
function looksAt(journal: string, terminal: Terminal): Readonly<Record<string, Look>> {
  const { stderr, env } = process;
  return {
    node: () => checkNode(process.versions.node),
    sqlite: checkSqlite,
    threads: checkThreads,
    shell: () => checkShell(),
    processes: () => checkProcesses(),
    git: () => checkGit(askGit()),
    "time-zone": () => checkTimeZone(env["TZ"], new Intl.DateTimeFormat().resolvedOptions().timeZone),
    clock: () => checkClock(Date.now(), writtenAt(journal)),
    journal: () => checkJournal(journal),
    ignored: () => checkIgnored(journal),
    terminal: () =>
      checkTerminal(
        {
          isTerminal: stderr.isTTY,
          columns: stderr.columns,
          colors: stderr.isTTY ? 2 ** stderr.getColorDepth() : 0,
          isInColor: terminal.reportsInColor,
        },
        env,
      ),
    variables: () => checkVariables(env),
  };
}

/** A check that cannot be made is a finding, and no reason to leave out the others. */
async function found(name: string, look: Look): Promise<readonly Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [problem(name, `this could not be checked: ${reasonOf(error)}`, "see whether permissions forbid it")];
  }
}

const TONES: Readonly<Record<Verdict, keyof Palette>> = { ok: "good", warning: "caution", problem: "bad" };
const VERDICT_WIDTH = "warning".length;

function reportOf(findings: readonly Finding[], { palette, columns }: Terminal): string {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = VERDICT_WIDTH + nameWidth + 4;
  const lines = findings.flatMap(({ check, verdict, text, remedy }) => {
    const told = wrapped(safeText(text), columns - indent);
    const advice = remedy === undefined ? [] : wrapped(`what to do: ${safeText(remedy)}`, columns - indent);
    const head = `${palette[TONES[verdict]](verdict.padEnd(VERDICT_WIDTH))}  ${palette.title(check.padEnd(nameWidth))}`;
    return [...told, ...advice].map((line, place) => `${place === 0 ? head : " ".repeat(indent - 2)}  ${line}`);
  });
  return `${[...lines, "", summaryOf(findings, palette)].join("\n")}\n`;
}

function summaryOf(findings: readonly Finding[], palette: Palette): string {
  const count = (verdict: Verdict): number => findings.filter((each) => each.verdict === verdict).length;
  const counts = [
    ...counted(count("problem"), "problem", palette.bad),
    ...counted(count("warning"), "warning", palette.caution),
  ];
  return `${findings.length} checks: ${counts.length === 0 ? palette.good("all is well") : counts.join(", ")}`;
}

function counted(count: number, noun: string, paint: (text: string) => string): readonly string[] {
  return count === 0 ? [] : [paint(`${count} ${count === 1 ? noun : `${noun}s`}`)];
}
