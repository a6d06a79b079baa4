/** How work is merged: at once, after checks, by a pull request, or by a person (CODE-5). */
export type MergePolicyName = "auto" | "checks" | "pr_and_merge" | "pr_and_notify" | "manual";

/** Whether a policy merges by pull requests, so that a forge has an effect. */
export function usesPullRequests(policy: MergePolicyName): boolean {
  return policy.startsWith("pr_");
}
