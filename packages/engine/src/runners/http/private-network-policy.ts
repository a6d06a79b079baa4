// The private addresses that a step may reach: none, all, or those listed by host name, address or range.

import { BlockList, isIP } from "node:net";
import { SegnoError } from "@segno/kernel";

/**
 * `true` allows everything; a list names hosts (`build.internal`), addresses (`10.0.0.7`) and ranges (`10.0.0.0/8`).
 */
export type AllowPrivate = boolean | readonly string[];

export class PrivateNetworkPolicy {
  readonly #allowsAll: boolean;
  readonly #hosts = new Set<string>();
  readonly #ranges = new BlockList();

  constructor(allowed: AllowPrivate) {
    this.#allowsAll = allowed === true;
    if (typeof allowed !== "boolean") for (const entry of allowed) this.#add(entry);
  }

  /** Whether `host`, which resolved to `address`, may be reached although the address is private. */
  allows(host: string, address: string): boolean {
    return this.#allowsAll || this.#hosts.has(normalizeHost(host)) || this.#isInRange(address);
  }

  /** An IPv4 address in IPv6 notation is the same address. */
  #isInRange(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#ranges.check(address, family(version));
  }

  #add(entry: string): void {
    const [address = "", bits, more] = entry.split("/");
    const version = isIP(address);
    if (version === 0) return this.#addHost(entry);
    const maxBits = version === 4 ? 32 : 128;
    const length = bits === undefined ? maxBits : wholeNumber(bits);
    if (more !== undefined || length === undefined || length > maxBits) throw invalid(entry);
    this.#ranges.addSubnet(address, length, family(version));
  }

  #addHost(entry: string): void {
    if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/iu.test(entry)) throw invalid(entry);
    this.#hosts.add(normalizeHost(entry));
  }
}

/** Host names are case-insensitive, and a trailing dot makes no difference. */
function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/u, "");
}

function family(version: number): "ipv4" | "ipv6" {
  return version === 4 ? "ipv4" : "ipv6";
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,3}$/u.test(text) ? Number(text) : undefined;
}

function invalid(entry: string): SegnoError {
  const expected = "`allowPrivate` lists host names, addresses and ranges such as `10.0.0.0/8`";
  return new SegnoError("OPTION_INVALID", `${expected}, not ${JSON.stringify(entry)}`);
}
