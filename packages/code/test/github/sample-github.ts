// A user's repository and a forge that has its base branch.

import { GitHubVcs } from "../../src/github/github-vcs.ts";
import type { GitHubOptions } from "../../src/github/github-options.ts";
import { RemoteRepository } from "../../src/github/remote-repository.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import { SampleForge } from "./sample-forge.ts";

export class SampleGitHub implements AsyncDisposable {
  readonly forge: SampleForge;
  readonly sample: SampleRepository;
  readonly vcs: GitHubVcs;
  readonly remote: RemoteRepository;

  private constructor(forge: SampleForge, sample: SampleRepository, vcs: GitHubVcs, remote: RemoteRepository) {
    this.forge = forge;
    this.sample = sample;
    this.vcs = vcs;
    this.remote = remote;
  }

  static async start(options: Partial<GitHubOptions> = {}): Promise<SampleGitHub> {
    const forge = await SampleForge.start();
    const sample = new SampleRepository();
    forge.repository.copyMain(sample.folder);
    const { repository, objects } = await sample.open();
    const github = forge.options({ allowNoChecks: true, ...options });
    const vcs = new GitHubVcs({ repository, objects, github });
    return new SampleGitHub(forge, sample, vcs, new RemoteRepository(objects, github));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sample[Symbol.asyncDispose]();
    await this.forge[Symbol.asyncDispose]();
  }
}
