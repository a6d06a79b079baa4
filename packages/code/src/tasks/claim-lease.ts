/** A claim that its executor has not renewed for so long is free: the executor has ended (K4). */
export const CLAIM_LEASE_MS: number = 5 * 60_000;

/** How often an executor renews its claims. Several renewals may get lost before a claim does. */
export const CLAIM_RENEWAL_MS: number = 60_000;
