// Checks whether a command keeps to the contract of agents (CODE-12). The command works in a temporary repository: once on a
// small task until it ends by itself, and once until it is asked to end.

import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFORMANCE_BRANCH, ConformanceRepository } from "./conformance-repository.ts";
import { ObservedProcesses, PLACEHOLDER } from "./conformance-process.ts";
import { eventProblem, isEventLine, readResult } from "./agent-event.ts";
import type { AgentReport, AgentSessionRequest } from "./agent-executor.ts";
import { CommandAgents } from "./command-agents.ts";
import { SessionFiles } from "./session-files.ts";

/** The result of one check. */
export interface ConformanceCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

/** Options of `checkConformance`. */
export interface ConformanceOptions {
  /** How long the command may work on the task. */
  readonly timeoutMs?: number;
  /** A command that prints nothing is asked to end after this time; one that prints, after its first output. */
  readonly termAfterMs?: number;
  /** How long the command may take to end after SIGTERM. */
  readonly graceMs?: number;
}

const TIMEOUT_MS = 10 * 60_000;
const TERM_AFTER_MS = 5000;
const GRACE_MS = 10_000;
const POLL_MS = 20;
const FILE = "segno-conformance.txt";

/** Runs a command as a coding agent on a small repository, and reports which parts of the protocol it follows. */
export async function checkConformance(
  command: readonly string[],
  { timeoutMs = TIMEOUT_MS, termAfterMs = TERM_AFTER_MS, graceMs = GRACE_MS }: ConformanceOptions = {},
): Promise<readonly ConformanceCheck[]> {
  const agents = new CommandAgents({ agents: { command: { command } } });
  await using repository = await ConformanceRepository.create();
  const checked = { agents, repository, graceMs };
  const work = await checkWork(checked, timeoutMs);
  const isStarted = work[0]?.passed === true;
  return isStarted ? [...work, await checkTermination(checked, termAfterMs)] : work;
}

const CHECKS = {
  starts: "starts",
  ends: "ends by itself",
  exits: "exits with 0",
  reads: "reads the prompt from standard input",
  changes: "changes the file that it is asked to change",
  events: "prints valid event lines, or none",
  result: "writes a valid result file, or none",
  processes: "leaves no process behind",
  outside: "writes only to its workspace",
  terminates: "ends on SIGTERM",
} as const;

interface CheckedCommand {
  readonly agents: CommandAgents;
  readonly repository: ConformanceRepository;
  readonly graceMs: number;
}

async function checkWork(checked: CheckedCommand, timeoutMs: number): Promise<readonly ConformanceCheck[]> {
  const { agents, repository, graceMs } = checked;
  const word = `word-${randomBytes(8).toString("hex")}`;
  const processes = new ObservedProcesses(word, graceMs);
  const before = await repository.snapshot();
  const request = toRequest(repository, 1);
  await agents.createSession(request);
  const signal = new AbortController().signal;
  const report = await agents.executeTask(request.sessionId, { signal, processes, timeoutMs, stallMs: timeoutMs });
  if (report.outcome.kind === "spawn-error") return [failed(CHECKS.starts, report.outcome.reason)];
  return [
    passed(CHECKS.starts, "the command was started"),
    ...checkExit(processes, report),
    ...checkFile(await readChangedFile(repository), word),
    await checkEvents(request.folder),
    await checkResultFile(request.folder),
    checkProcesses(processes),
    checkOutside(before, await repository.snapshot()),
  ];
}

function checkExit({ exit, isStopped }: ObservedProcesses, { outcome }: AgentReport): readonly ConformanceCheck[] {
  if (isStopped)
    return [
      failed(CHECKS.ends, `it did not end in time: ${outcome.kind}`),
      failed(CHECKS.exits, "it did not end by itself"),
    ];
  const how = exit?.signal ? `it was ended by ${exit.signal}` : `it ended with ${exit?.code}`;
  return [passed(CHECKS.ends, how), check(CHECKS.exits, exit?.code === 0, how)];
}

function checkFile(text: string | undefined, word: string): readonly ConformanceCheck[] {
  if (text === undefined)
    return [
      failed(CHECKS.reads, `it cannot be told: the command did not create ${FILE}`),
      failed(CHECKS.changes, `the command did not create ${FILE}`),
    ];
  const isRead = text.includes(word);
  const source = text.includes(PLACEHOLDER) ? "it read the prompt from a file" : `${FILE} does not have the word`;
  return [
    check(CHECKS.reads, isRead, isRead ? `${FILE} has the word that was only on standard input` : source),
    passed(CHECKS.changes, `the command created ${FILE}`),
  ];
}

/** Standard error is part of the transcript. A line there that looks like an event is one that got to the wrong place. */
async function checkEvents(folder: string): Promise<ConformanceCheck> {
  const file = await open(new SessionFiles(folder).transcript).catch(undefinedIfMissing);
  let count = 0;
  for await (const line of file?.readLines() ?? []) {
    const problem = eventProblem(line);
    if (problem !== undefined) return failed(CHECKS.events, `${problem}: ${line.slice(0, LINE_CHARS_MAX)}`);
    if (isEventLine(line)) count++;
  }
  return passed(CHECKS.events, count === 0 ? "it printed none; event lines are optional" : `it printed ${count}`);
}

const LINE_CHARS_MAX = 200;

/** A command that prints nothing has no transcript. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function checkResultFile(folder: string): Promise<ConformanceCheck> {
  const files = new SessionFiles(folder);
  if (!(await files.hasResult())) return passed(CHECKS.result, "it wrote none; a result file is optional");
  const result = readResult(await files.readResult());
  return result === undefined
    ? failed(CHECKS.result, "it is not a plain file of JSON with a valid `status`")
    : passed(CHECKS.result, `its status is ${result.status}`);
}

function checkProcesses({ remaining, isStopped }: ObservedProcesses): ConformanceCheck {
  if (isStopped) return failed(CHECKS.processes, "it did not end by itself");
  return check(CHECKS.processes, remaining === 0, `${remaining} processes ran after its exit`);
}

function checkOutside(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ConformanceCheck {
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
  const detail = changed.length === 0 ? "no change was seen" : `it changed ${changed.slice(0, 5).join(", ")}`;
  return check(CHECKS.outside, changed.length === 0, detail);
}

async function checkTermination(checked: CheckedCommand, termAfterMs: number): Promise<ConformanceCheck> {
  const { agents, repository, graceMs } = checked;
  const processes = new ObservedProcesses("word", graceMs);
  const request = toRequest(repository, 2);
  await agents.createSession(request);
  const signal = new AbortController().signal;
  const work = agents.executeTask(request.sessionId, { signal, processes });
  await whenPrinted(agents, request.sessionId, termAfterMs);
  await agents.terminateSession(request.sessionId);
  await work;
  return toTermination(processes);
}

/** Resolves when the command has printed something or has ended, or after this time. */
async function whenPrinted(agents: CommandAgents, sessionId: string, timeMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < timeMs; waitedMs += POLL_MS) {
    const { text, isEnded } = await agents.getSessionOutput(sessionId);
    if (text !== "" || isEnded) return;
    await sleep(POLL_MS);
  }
}

function toTermination({ exit, isStopped }: ObservedProcesses): ConformanceCheck {
  if (!isStopped) return passed(CHECKS.terminates, "it ended by itself before it was asked to");
  const isKilled = exit?.signal === "SIGKILL";
  return check(CHECKS.terminates, !isKilled, isKilled ? "it had to be killed" : "it ended when it was asked to");
}

function toRequest({ root, workspace, base }: ConformanceRepository, attempt: number): AgentSessionRequest {
  const workflow = {
    workflowId: "conformance",
    template: "conformance",
    workflowBranch: "workflow/conformance",
    baseBranch: "main",
    baseCommit: base,
    parameters: {},
  };
  return {
    sessionId: `conformance-${attempt}`,
    agent: undefined,
    workflowId: workflow.workflowId,
    taskId: "conformance",
    attempt,
    workspacePath: workspace,
    taskBranch: CONFORMANCE_BRANCH,
    baseCommit: base,
    folder: join(root, `session-${attempt}`),
    context: {
      taskId: "conformance",
      title: "Create a file",
      instructions: `Create the file ${FILE} with this word as its only line: ${PLACEHOLDER}`,
      acceptanceCriteria: [`${FILE} has exactly that word`],
      data: {},
      workflow,
      artefacts: {},
    },
  };
}

async function readChangedFile({ workspace }: ConformanceRepository): Promise<string | undefined> {
  try {
    return await readFile(join(workspace, FILE), "utf8");
  } catch {
    return undefined;
  }
}

function check(name: string, isPassed: boolean, detail: string): ConformanceCheck {
  return { name, passed: isPassed, detail };
}

function passed(name: string, detail: string): ConformanceCheck {
  return check(name, true, detail);
}

function failed(name: string, detail: string): ConformanceCheck {
  return check(name, false, detail);
}
