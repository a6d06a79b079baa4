// What survives the crash of a process: the repository, the folders of workspaces, the tasks, and what people know.

import type { Random } from "@segno/engine/testing";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import type { MemoryFolder } from "../../src/workspaces/memory-workspaces.ts";
import { SHARED_FILES, type LandingPlan } from "./landing-plan.ts";
import { BROKEN } from "./simulated-files.ts";

export class LandingDisk {
  readonly repository: MemoryRepository;
  readonly folders: Map<string, MemoryFolder> = new Map();
  readonly backend: MemoryTaskBackend = new MemoryTaskBackend();
  /** The files that passed the check. */
  readonly passed: Set<string> = new Set();
  /** The commits with the work of agents and people. */
  readonly works: Set<string> = new Set();
  /** The commits that a user made on a branch. */
  readonly userCommits: Set<string> = new Set();
  /** The lines of text that the user has committed on main. */
  readonly userLines: Set<string> = new Set();
  /** The tasks that an agent has tried. */
  readonly tried: Set<string> = new Set();
  /** Called when a check starts. */
  onCheck: () => void = () => undefined;
  /** Called for a claim that does not hold. */
  fail: (claim: string) => void = () => undefined;
  readonly #flaked = new Set<string>();
  readonly #hasFlakes: boolean;
  readonly #random: Random;

  constructor({ isBaseBroken, hasFlakes }: LandingPlan, random: Random) {
    const shared = SHARED_FILES.map((name) => [name, "start\n"] as const);
    this.repository = new MemoryRepository({
      ...Object.fromEntries(shared),
      ...(isBaseBroken ? { [BROKEN]: "broken\n" } : {}),
    });
    this.#hasFlakes = hasFlakes;
    this.#random = random;
  }

  /** The folder at a path of a workspace. */
  folder(path: string): MemoryFolder {
    const folder = this.folders.get(path.replace("/memory/", ""));
    if (folder === undefined) throw new Error(`there is no folder ${path}`);
    return folder;
  }

  /** Whether a check that would pass fails this time. It happens once for the same files. */
  hasFlake(key: string): boolean {
    if (!this.#hasFlakes || this.#flaked.has(key) || !this.#random.percent(20)) return false;
    this.#flaked.add(key);
    return true;
  }
}
