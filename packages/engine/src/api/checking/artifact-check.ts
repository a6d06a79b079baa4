// Checks the files that an execution has kept beside its journal (DATA-13).

import { listArtifacts, type State } from "@segno/kernel";
import type { ArtifactFolder } from "../../artifacts/artifact-folder.ts";
import { finding, type Finding } from "./finding.ts";

export type CheckableArtifacts = Pick<ArtifactFolder, "problem">;

/** A file is checked once, however many steps have kept it. */
export async function checkArtifacts(state: State, artifacts: CheckableArtifacts): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const artifact of listArtifacts(state)) {
    if (seen.has(artifact.hash)) continue;
    seen.add(artifact.hash);
    const problem = await artifacts.problem(state.created!.execution, artifact);
    if (problem !== undefined)
      findings.push(
        finding("ARTIFACT_DAMAGED", `the artifact \`${artifact.path}\` of \`${artifact.step}\` ${problem}`),
      );
  }
  return findings;
}
