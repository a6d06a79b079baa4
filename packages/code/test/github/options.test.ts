import { describe, expect, it } from "vitest";
import { apiUrl, gitUrl, type GitHubOptions } from "../../src/github/github-options.ts";
import { GitHubPullRequests } from "../../src/github/github-pull-requests.ts";
import { SampleForge } from "./sample-forge.ts";

function optionsWith(more: Partial<GitHubOptions>): GitHubOptions {
  return { owner: "octo-org", repository: "sample", token: () => "token", ...more };
}

describe("the options of GitHub", () => {
  it.each([
    [undefined, "https://api.github.com", "https://github.com/octo-org/sample.git"],
    ["https://api.github.com/", "https://api.github.com", "https://github.com/octo-org/sample.git"],
    ["https://api.octo.ghe.com", "https://api.octo.ghe.com", "https://octo.ghe.com/octo-org/sample.git"],
    [
      "https://git.example.com/api/v3/",
      "https://git.example.com/api/v3",
      "https://git.example.com/octo-org/sample.git",
    ],
    ["https://example.com/git/api/v3", "https://example.com/git/api/v3", "https://example.com/git/octo-org/sample.git"],
  ])("CODE-13 with the base URL %s lead to the API and to the repository", (baseUrl, api, git) => {
    const options = optionsWith(baseUrl === undefined ? {} : { baseUrl });
    expect([apiUrl(options), gitUrl(options)]).toEqual([api, git]);
  });

  it("CODE-13 may name a base URL with a path", async () => {
    await using forge = await SampleForge.start("/company/git/api/v3");
    const pulls = new GitHubPullRequests(forge.options());
    const head = forge.repository.commit("main", { "a.txt": "one\n" });
    forge.pulls.push({ number: 1, source: "main", target: "main", state: "open", reviews: [] });
    expect(await pulls.getPullRequestStatus("1")).toMatchObject({ kind: "open", head });
  });

  it.each([
    { baseUrl: "http://git.example.com" },
    { baseUrl: "https://user:password@git.example.com" },
    { baseUrl: "https://git.example.com/?x=1" },
    { baseUrl: "file:///tmp" },
    { baseUrl: "git.example.com" },
    { owner: "../x" },
    { owner: "" },
    { repository: ".." },
    { repository: "a/b" },
    { allowNoChecks: true, expectedChecks: ["test"] },
  ])("CODE-13 are refused if they are %j", (more) => {
    expect(() => new GitHubPullRequests(optionsWith(more))).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_INVALID" }),
    );
  });
});
