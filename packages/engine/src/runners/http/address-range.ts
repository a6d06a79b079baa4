// Classifies an IP address by its range.
//
//   AR1. Only `unicast` is public; unknown ranges are not.
//   AR2. An address that embeds another one, as in tunnels and translators, is only as public as the embedded one: a
//        packet may end up there.

import ipaddr from "ipaddr.js";

/** The only IPv6 range assigned to public addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Addresses that look public but reach a machine's own metadata service: this one is Azure's. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** `unicast` if the address is public, otherwise its range: `loopback`, `private`, `linkLocal`. */
export function addressRange(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? ipv4Range(parsed as ipaddr.IPv4) : ipv6Range(parsed as ipaddr.IPv6);
}

function ipv4Range(address: ipaddr.IPv4): string {
  return METADATA_ADDRESSES.has(address.toString()) ? "reserved" : address.range();
}

function ipv6Range(address: ipaddr.IPv6): string {
  if (address.range() === "loopback") return "loopback";
  const embedded = embeddedIpv4(address);
  if (embedded.length > 0) return embedded.map(ipv4Range).find((range) => range !== "unicast") ?? "unicast";
  const range: string = address.range();
  return range === "unicast" && !address.match(GLOBAL_UNICAST) ? "reserved" : range;
}

/** The IPv4 addresses embedded in an IPv6 address, by the layout of its range. */
function embeddedIpv4(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case "6to4":
      return [toIpv4(bytes, 2)];
    case "teredo":
      return [toIpv4(bytes, 4), toIpv4(bytes.map(invertByte), 12)];
    case "rfc6145":
      return [toIpv4(bytes, 12)];
    case "rfc6052":
      // A network with its own prefix may place the embedded address anywhere.
      return isZero(bytes, 4, 12) ? [toIpv4(bytes, 12)] : [];
    default:
      // The deprecated IPv4-compatible form: `::127.0.0.1`.
      return isZero(bytes, 0, 12) ? [toIpv4(bytes, 12)] : [];
  }
}

function toIpv4(bytes: readonly number[], from: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(bytes.slice(from, from + 4));
}

function invertByte(byte: number): number {
  return byte ^ 0xff;
}

function isZero(bytes: readonly number[], from: number, to: number): boolean {
  return bytes.slice(from, to).every((byte) => byte === 0);
}
