/** CODE-5. */
export type MergePolicyName = "auto" | "checks" | "pr_and_merge" | "pr_and_notify" | "manual";
