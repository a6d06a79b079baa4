// The checks of `segno doctor`, in the order in which they are printed.

import { thrownMessage } from "@segno/kernel/thrown-text";
import { checkClock, checkTimeZone } from "./clock.ts";
import { problem, type DoctorFinding } from "./finding.ts";
import { checkIgnored } from "./ignored.ts";
import { checkJournal, writtenAt } from "./journal.ts";
import { askGit, checkGit, checkNode, checkProcesses, checkShell, checkSqlite, checkThreads } from "./platform.ts";
import { checkTerminal, checkVariables } from "./surroundings.ts";
import type { Terminal } from "../terminal/terminal.ts";

type DoctorCheck = () => DoctorFinding | readonly DoctorFinding[] | Promise<DoctorFinding | readonly DoctorFinding[]>;

export async function runChecks(journal: string, terminal: Terminal): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const [name, check] of Object.entries(checks(journal, terminal)))
    findings.push(...(await runCheck(name, check)));
  return findings;
}

function checks(journal: string, terminal: Terminal): Readonly<Record<string, DoctorCheck>> {
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

/** A check that throws becomes a finding, so that the other checks still run. */
async function runCheck(name: string, check: DoctorCheck): Promise<readonly DoctorFinding[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [problem(name, `the check failed: ${thrownMessage(error)}`, "check the permissions")];
  }
}
