// Reads everything that a start needs before the engine opens: the contract, the contracts that it calls, and
// the input. A contract is compiled once, and the input is checked once; the engine takes both results over.

import type { CheckedInput } from "@segno/contract";
import type { BuiltWorkflow } from "@segno/engine";
import type { Definition } from "@segno/kernel";

import { loadCalled } from "../document/called-contracts.ts";
import { contractFolder, loadContractDocument } from "../document/contract-document.ts";
import { readInputArgument } from "../document/input-argument.ts";
import { checkStartInput } from "../document/input-check.ts";
import type { WorkOptions } from "../journal/work-options.ts";
import type { EndOptions } from "../reports/end-report.ts";
import { reportProblems } from "../reports/problem-report.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { TrustOptions } from "../worker/journal-trust.ts";

export interface StartCommandOptions extends WorkOptions, EndOptions, TrustOptions {
  readonly with?: readonly string[];
  readonly input?: string;
  readonly quiet?: boolean;
  readonly id?: string;
  readonly key?: string;
  readonly priority?: number;
  readonly label?: Readonly<Record<string, string>>;
  readonly correlation?: string;
  readonly timeout?: number;
}

export interface StartRequest {
  readonly definition: Definition;
  /** The workflow to start: the definition, or the workflow that a module built. */
  readonly workflow: Definition | BuiltWorkflow;
  readonly input: CheckedInput;
  /** The workflows that the definition calls. */
  readonly called: readonly Definition[];
}

/** Reports every problem and returns nothing if a contract or the input is invalid. */
export async function readStartRequest(
  file: string,
  options: StartCommandOptions,
  terminal: Terminal,
): Promise<StartRequest | undefined> {
  const given = options.input === undefined ? undefined : await readInputArgument(options.input);
  const loaded = await loadContractDocument(file, process.cwd());
  if (loaded.kind === "problems") {
    reportProblems(loaded, terminal);
    return undefined;
  }
  const { definition, workflow } = loaded;
  const input = await checkStartInput(loaded, given, terminal);
  if (input === undefined) return undefined;
  const called = await loadCalled(workflow ?? { definition }, contractFolder(file), options.with ?? []);
  if (called.kind === "called")
    return { definition, workflow: workflow ?? definition, input, called: called.definitions };
  reportProblems(called, terminal);
  return undefined;
}
