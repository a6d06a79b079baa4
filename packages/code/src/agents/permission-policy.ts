// The answer to an agent that asks for permission. No person can be asked, so a policy decides at once.
//
//   PP1. A refusal never becomes a permission: if the agent offers no refusal, the answer is that the request is cancelled.
//   PP2. A permission for once is preferred, because each request is decided anew.

/** The request of an agent to use a tool. */
export interface PermissionRequest {
  /** The request, in the words of the agent. */
  readonly title: string;
  /** The kind of the tool call, such as `edit` or `execute`, if the agent tells. */
  readonly toolKind?: string;
}

/** Decides about a request of an agent. It is called for each request, and must not wait. */
export type PermissionPolicy = (request: PermissionRequest) => "allow" | "deny";

export type PermissionOptionType = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export interface OfferedPermission {
  readonly optionId: string;
  readonly kind: PermissionOptionType;
}

const PREFERRED: Readonly<Record<"allow" | "deny", readonly PermissionOptionType[]>> = {
  allow: ["allow_once", "allow_always"],
  deny: ["reject_once", "reject_always"],
};

/** The id of the option to choose; undefined if the request has to be cancelled. */
export function chooseOption(decision: "allow" | "deny", offered: readonly OfferedPermission[]): string | undefined {
  for (const kind of PREFERRED[decision]) {
    const option = offered.find((each) => each.kind === kind);
    if (option !== undefined) return option.optionId;
  }
  return undefined;
}

/** An agent works in a workspace of its own, as commands do, which are not asked either. */
export const allowAll: PermissionPolicy = () => "allow";
