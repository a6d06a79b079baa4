import type { Branches } from "./branches.ts";
import type { PullRequests } from "./pull-requests.ts";

/** The port to version control: two interfaces that one adapter implements. */
export interface Vcs extends Branches, PullRequests {}
