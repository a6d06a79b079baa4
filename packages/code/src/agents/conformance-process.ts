// Processes of a command that is checked: they tell what a report of an agent does not.
//
// The word that the command has to write is only on its standard input: in the files of the session, a placeholder stands
// for it.

import { Transform } from "node:stream";
import { LocalProcesses, type OwnedProcess, type OwnedProcessExit, type ProcessCommand } from "@segno/engine";
import type { ProcessStarter } from "./process-starter.ts";

export const PLACEHOLDER = "SEGNO_CONFORMANCE_WORD";

export class ObservedProcesses implements ProcessStarter {
  readonly #word: string;
  readonly #starter: ProcessStarter;
  /** The exit of the main process, if it was started. */
  exit: OwnedProcessExit | undefined;
  /** How many processes were left when the main process had exited by itself. */
  remaining = 0;
  isStopped = false;

  constructor(word: string, graceMs: number) {
    this.#word = word;
    this.#starter = new LocalProcesses({ graceMs, onRemaining: (pids) => (this.remaining = pids.length) });
  }

  start(command: ProcessCommand): OwnedProcess {
    const started = this.#starter.start(command);
    const mainExit = this.#observe(started.mainExit);
    const stdin = replacing(PLACEHOLDER, this.#word);
    stdin.pipe(started.stdin);
    const stop = (): void => {
      this.isStopped ||= this.exit === undefined;
      started.stop();
    };
    const { pid, stdout, stderr, treeExited } = started;
    return { pid, stdin, stdout, stderr, mainExit, treeExited, stop };
  }

  async #observe(exit: OwnedProcess["mainExit"]): OwnedProcess["mainExit"] {
    return (this.exit = await exit);
  }
}

/** Replaces a text in a prompt, which is short. */
function replacing(from: string, to: string): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
    flush: (done) => done(null, Buffer.concat(chunks).toString("utf8").replaceAll(from, to)),
  });
}
