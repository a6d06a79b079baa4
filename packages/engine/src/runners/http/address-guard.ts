// The address guard resolves host names and refuses connections to addresses that it has not checked.
//
//   AG1. A name is resolved once per connection, and the socket gets exactly the checked addresses. So a name server
//        that changes its answer between check and use (DNS rebinding) has no effect.
//   AG2. One private address among several refuses the host, because a socket may pick any of them.
//   AG3. A host that is already an address is checked the same way.

import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { SegnoError } from "@segno/kernel";
import { addressRange } from "./address-range.ts";
import type { PrivateNetworkPolicy } from "./private-network-policy.ts";

/** An address to which a host name resolves. */
export interface HostAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Returns all addresses of a host. */
export type DnsLookup = (host: string) => Promise<readonly HostAddress[]>;

const bySystem: DnsLookup = (host) => systemLookup(host, { all: true, order: "verbatim" });

export class AddressGuard {
  readonly #policy: PrivateNetworkPolicy;
  readonly #lookup: DnsLookup;

  constructor(policy: PrivateNetworkPolicy, lookup: DnsLookup = bySystem) {
    this.#policy = policy;
    this.#lookup = lookup;
  }

  /** A socket does not resolve a host that is an address, so it is checked before the socket is opened (AG3). */
  checkHost(host: string): void {
    if (isIP(host) !== 0) this.#check(host, host);
  }

  /** In the signature that sockets expect. */
  readonly lookup: LookupFunction = (host, { all }, callback) => {
    this.#resolve(host).then(
      (addresses) =>
        all === true ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  async #resolve(host: string): Promise<readonly HostAddress[]> {
    const addresses = await this.#lookup(host);
    if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
    for (const { address } of addresses) this.#check(host, address);
    return addresses;
  }

  #check(host: string, address: string): void {
    const range = addressRange(address);
    if (range === "unicast" || this.#policy.allows(host, address)) return;
    const label = host === address ? host : `${host}, which is ${address},`;
    throw new SegnoError("HTTP_ADDRESS_REFUSED", `${label} is not a public address (${range}), and is not allowed`);
  }
}
