// The artifacts of attempts: those that a step keeps when it succeeds, and those that it gets from its dependencies (DATA-13).
//
//   AA1. An execution whose workflows declare no artifacts costs one look at each region of its state.
//   AA2. An attempt that cannot keep its files fails; none of them is mentioned in the journal.
//   AA3. An attempt gets copies, which are removed when it has exited: no step can change what another one gets.

import { mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  compiledStep,
  dependencyArtifacts,
  SegnoError,
  toFailure,
  type Artifact,
  type ArtifactsByStep,
  type Failure,
  type Outcome,
  type Program,
  type State,
} from "@segno/kernel";
import { ArtifactError } from "../artifacts/artifact-error.ts";
import { pathInside, tooLarge, type ArtifactFolder } from "../artifacts/artifact-folder.ts";
import { matchingFiles } from "../artifacts/matching-files.ts";
import type { ReceivedArtifacts } from "../agents/step-context.ts";
import type { StepAttempt } from "./step-attempt.ts";

/** Limits of the files that steps keep. */
export interface ArtifactLimits {
  /** The maximum number of files that one step keeps. */
  readonly artifactFiles: number;
  /** The maximum number of bytes of all files that one step keeps. */
  readonly artifactBytes: number;
}

export const ARTIFACT_LIMITS: ArtifactLimits = Object.freeze({ artifactFiles: 1000, artifactBytes: 1_073_741_824 });

export class AttemptArtifacts {
  readonly #folder: ArtifactFolder;
  readonly #cwd: string;
  readonly #limits: ArtifactLimits;
  readonly #declaring = new WeakMap<Program, boolean>();
  /** Whether a workflow of an execution declares artifacts, up to the number of regions that were looked at. */
  readonly #states = new WeakMap<State, { readonly regions: number; readonly isDeclared: boolean }>();

  constructor(folder: ArtifactFolder, cwd: string, limits: ArtifactLimits) {
    this.#folder = folder;
    this.#cwd = cwd;
    this.#limits = limits;
  }

  /** The outcome with the files that the step declares; the outcome itself if it declares none or has not succeeded. */
  collect(outcome: Outcome, attempt: StepAttempt): Outcome | Promise<Outcome> {
    const { artifacts } = compiledStep(attempt.liveExecution.state, attempt.stepIndex).definition;
    if (artifacts === undefined || outcome.kind !== "succeeded") return outcome;
    attempt.dropDeadline();
    return this.#keepAll(outcome, attempt, artifacts);
  }

  async #keepAll(
    outcome: Outcome & { kind: "succeeded" },
    attempt: StepAttempt,
    patterns: readonly string[],
  ): Promise<Outcome> {
    try {
      const { cwd } = attempt.renderedAction();
      const folder = resolve(this.#cwd, typeof cwd === "string" ? cwd : "");
      const paths = await matchingFiles(folder, patterns, this.#limits.artifactFiles);
      const artifacts: Artifact[] = [];
      let left = this.#limits.artifactBytes;
      for (const path of paths) {
        if (left < 0) throw tooLarge(path);
        const kept = await this.#folder.keep(attempt.execution, resolve(folder, path), path, left);
        left -= kept.bytes;
        artifacts.push({ ...kept, path: attempt.maskText(path) });
      }
      return { ...outcome, artifacts };
    } catch (error) {
      return { kind: "failed", failure: artifactFailure(error, attempt) };
    }
  }

  /** Copies the files of the dependencies for an attempt; undefined if they have none. Resolves with a failure if it cannot. */
  prepare(attempt: StepAttempt): Promise<Failure | undefined> | undefined {
    const { state } = attempt.liveExecution;
    if (!this.#isDeclared(state)) return undefined;
    const artifacts = dependencyArtifacts(state, attempt.stepIndex);
    return artifacts === undefined ? undefined : this.#copyAll(attempt, artifacts);
  }

  async #copyAll(attempt: StepAttempt, artifacts: ArtifactsByStep): Promise<Failure | undefined> {
    try {
      const folder = await this.#folder.newCopyFolder();
      const received: Record<string, ReceivedArtifacts[string]> = {};
      for (const [step, files] of Object.entries(artifacts)) {
        const list = [];
        for (const artifact of files) {
          const file = pathInside(folder, `${step}/${artifact.path}`);
          await mkdir(dirname(file), { recursive: true });
          await this.#folder.copy(attempt.execution, artifact, file);
          list.push(Object.freeze({ ...artifact, file }));
        }
        received[step] = Object.freeze(list);
      }
      attempt.receive(folder, Object.freeze(received));
      return undefined;
    } catch (error) {
      return artifactFailure(error, attempt);
    }
  }

  /** AA3. The copies of an attempt that never started are removed when the engine closes. */
  release({ artifactFolder }: StepAttempt): void {
    if (artifactFolder !== undefined) void rm(artifactFolder, { recursive: true, force: true }).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#folder.close();
  }

  /** AA1. */
  #isDeclared(state: State): boolean {
    const { regions } = state;
    const known = this.#states.get(state);
    if (known?.isDeclared === true || known?.regions === regions.length) return known.isDeclared;
    const isDeclared = regions.slice(known?.regions ?? 0).some(({ program }) => this.#declares(program));
    this.#states.set(state, { regions: regions.length, isDeclared });
    return isDeclared;
  }

  #declares(program: Program): boolean {
    const known =
      this.#declaring.get(program) ?? program.steps.some(({ definition }) => definition.artifacts !== undefined);
    this.#declaring.set(program, known);
    return known;
  }
}

/** A full disk may have room again, so an error of the system is tried again. */
function artifactFailure(error: unknown, attempt: StepAttempt): Failure {
  const maskText = (text: string): string => attempt.maskText(text);
  if (error instanceof ArtifactError) return toFailure(error, maskText, "permanent");
  const cause = error instanceof Error ? error.message : String(error);
  return toFailure(new SegnoError("ARTIFACT_NOT_KEPT", `files could not be copied: ${cause}`), maskText, "transient");
}
