// The processes of a simulation: the only command is the check, which reads the files of its workspace.

import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import type { OwnedProcess, ProcessCommand } from "@segno/engine";
import type { ProcessStarter } from "../../src/agents/process-starter.ts";
import type { LandingDisk } from "./landing-disk.ts";
import { filesKey, findFaults } from "./simulated-files.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

export class SimulatedChecks implements ProcessStarter {
  readonly #process: SimulatedProcess;
  readonly #disk: LandingDisk;

  constructor(process: SimulatedProcess, disk: LandingDisk) {
    this.#process = process;
    this.#disk = disk;
  }

  start({ cwd }: ProcessCommand): OwnedProcess {
    const stdout = new Readable({ read: () => undefined });
    const stderr = new Readable({ read: () => undefined });
    const ended = once(stdout, "end");
    const mainExit = this.#run(cwd).then(({ code, log }) => {
      stdout.push(log);
      stdout.push(null);
      return { code, signal: null };
    });
    const treeExited = ended.then(() => undefined);
    return { pid: undefined, stdin: new PassThrough(), stdout, stderr, mainExit, treeExited, stop: () => undefined };
  }

  async #run(cwd: string): Promise<{ readonly code: number; readonly log: string }> {
    const { world } = this.#process.environment;
    this.#disk.onCheck();
    await this.#process.environment.sleep(world.random.between(1, 60), "check");
    const { files } = this.#disk.folder(cwd);
    const faults = findFaults(files);
    if (faults.length > 0) return { code: 1, log: `error: ${faults.join(", ")}\n` };
    if (this.#disk.hasFlake(filesKey(files))) return { code: 1, log: "error: it fails sometimes\n" };
    this.#disk.passed.add(filesKey(files));
    await this.#process.step("check passed");
    return { code: 0, log: "" };
  }
}
