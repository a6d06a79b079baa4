// `segno doctor`: looks at what makes Segno work here, and says what to do about what does not. It changes nothing.

import { checkClock, checkTimeZone } from "../doctor/clock.ts";
import { problem, errorReason, type DoctorFinding, type FindingVerdict } from "../doctor/finding.ts";
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
import { journalFile, type JournalOptions } from "../journal/journal-options.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeText } from "../terminal/safe-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapText } from "../terminal/text-layout.ts";

export interface DoctorOptions extends JournalOptions {
  readonly json?: boolean;
}

type Look = () => DoctorFinding | readonly DoctorFinding[] | Promise<DoctorFinding | readonly DoctorFinding[]>;

export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const findings: DoctorFinding[] = [];
  for (const [name, look] of Object.entries(looksAt(journalFile(options), terminal)))
    findings.push(...(await runCheck(name, look)));
  const isWell = findings.every(({ verdict }) => verdict !== "problem");
  if (options.json === true) terminal.print(`${safeJson({ schemaVersion: 1, ok: isWell, checks: findings })}\n`);
  else terminal.print(formatReport(findings, terminal));
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
async function runCheck(name: string, look: Look): Promise<readonly DoctorFinding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    return [problem(name, `this could not be checked: ${errorReason(error)}`, "see whether permissions forbid it")];
  }
}

const TONES: Readonly<Record<FindingVerdict, keyof Palette>> = { ok: "good", warning: "caution", problem: "bad" };
const VERDICT_WIDTH = "warning".length;

function formatReport(findings: readonly DoctorFinding[], { palette, columns }: Terminal): string {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = VERDICT_WIDTH + nameWidth + 4;
  const lines = findings.flatMap(({ check, verdict, text, remedy }) => {
    const delivery = wrapText(safeText(text), columns - indent);
    const advice = remedy === undefined ? [] : wrapText(`what to do: ${safeText(remedy)}`, columns - indent);
    const head = `${palette[TONES[verdict]](verdict.padEnd(VERDICT_WIDTH))}  ${palette.title(check.padEnd(nameWidth))}`;
    return [...delivery, ...advice].map((line, place) => `${place === 0 ? head : " ".repeat(indent - 2)}  ${line}`);
  });
  return `${[...lines, "", formatSummary(findings, palette)].join("\n")}\n`;
}

function formatSummary(findings: readonly DoctorFinding[], palette: Palette): string {
  const count = (verdict: FindingVerdict): number => findings.filter((each) => each.verdict === verdict).length;
  const counts = [
    ...countText(count("problem"), "problem", palette.bad),
    ...countText(count("warning"), "warning", palette.caution),
  ];
  return `${findings.length} checks: ${counts.length === 0 ? palette.good("all is well") : counts.join(", ")}`;
}

function countText(count: number, noun: string, paint: (text: string) => string): readonly string[] {
  return count === 0 ? [] : [paint(`${count} ${count === 1 ? noun : `${noun}s`}`)];
}
