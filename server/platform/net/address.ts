import { isIP } from 'node:net';

/** An address by its bytes: four of IPv4, sixteen of IPv6. */
export type AddressBytes = readonly number[];

/** A network: its first address, and how many bits of that count. */
export interface Network {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

/** Reads an address in its plain form; undefined for anything else, zones included. */
export function parseAddress(text: string): AddressBytes | undefined {
  const version = isIP(text);
  if (version === 4) return text.split('.').map(Number);
  return version === 6 && !text.includes('%') ? parseGroups(text) : undefined;
}

/** Reads `ADDRESS/BITS`; a lone address is the network of itself. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', written, ...more] = text.split('/');
  const bytes = parseAddress(address);
  if (bytes === undefined || more.length > 0) return undefined;
  if (written === undefined) return { bytes, bits: bytes.length * 8 };
  const bits = /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN;
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

/** True for an address of the network; IPv4 and IPv6 never hold one another. */
export function contains({ bytes, bits }: Network, address: AddressBytes): boolean {
  if (bytes.length !== address.length) return false;
  return bytes.every((byte, at) => {
    const counted = Math.max(0, Math.min(8, bits - at * 8));
    const mask = (0xff << (8 - counted)) & 0xff;
    return (byte & mask) === ((address[at] ?? 0) & mask);
  });
}

/** The IPv4 address that an IPv6 address leads to (mapped, NAT64, 6to4); else the address itself. */
export function embeddedIPv4(address: AddressBytes): AddressBytes {
  for (const { network, at } of CARRIERS) if (contains(network, address)) return address.slice(at, at + 4);
  return address;
}

function parseGroups(text: string): AddressBytes {
  // The parser of URLs writes a dotted end as groups and checks the rest.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (part: string | undefined) =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? [] : new Array<number>(8 - first.length - last.length).fill(0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

const carrier = (text: string, at: number) => ({ network: parseNetwork(text) ?? { bytes: [], bits: 0 }, at });
const CARRIERS = [carrier('::ffff:0:0/96', 12), carrier('64:ff9b::/96', 12), carrier('2002::/16', 2)];
