// The address guard: finds the addresses of a host, and lets nobody connect to one that it has not checked.
//
//   D1. A name is looked up once for each connection. The addresses that were checked are those that the socket is given, so
//       a name server that changes its mind between two questions is never asked the second one.
//   D2. One private address among several is enough to refuse them all: which one a socket takes is not for others to choose.
//   D3. A host that is an address already is checked like one that was found.

import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { SegnoError } from "@segno/kernel";
import { addressRange } from "./address-range.ts";
import type { PrivateNetworkPolicy } from "./private-network-policy.ts";

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host. */
export type DnsLookup = (host: string) => Promise<readonly HostAddress[]>;

const bySystem: DnsLookup = (host) => systemLookup(host, { all: true, order: "verbatim" });

export class AddressGuard {
  readonly #allowance: PrivateNetworkPolicy;
  readonly #lookup: DnsLookup;

  constructor(policy: PrivateNetworkPolicy, lookup: DnsLookup = bySystem) {
    this.#allowance = policy;
    this.#lookup = lookup;
  }

  /** A socket never looks up what is an address already, so that is checked before it is made (D3). */
  checkHost(host: string): void {
    if (isIP(host) !== 0) this.#check(host, host);
  }

  /** In the form in which sockets ask. */
  readonly lookup: LookupFunction = (host, { all }, answer) => {
    this.#resolve(host).then(
      (found) => (all === true ? answer(null, [...found]) : answer(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => answer(error, []),
    );
  };

  async #resolve(host: string): Promise<readonly HostAddress[]> {
    const found = await this.#lookup(host);
    if (found.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
    for (const { address } of found) this.#check(host, address);
    return found;
  }

  #check(host: string, address: string): void {
    const range = addressRange(address);
    if (range === "unicast" || this.#allowance.covers(host, address)) return;
    const where = host === address ? host : `${host}, which is ${address},`;
    throw new SegnoError("HTTP_ADDRESS_REFUSED", `${where} is no public address (${range}), and was not allowed`);
  }
}
