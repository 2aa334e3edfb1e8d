import { AppError } from '@/lib/contract/app-error';
import type { AddressBytes, Network } from '@/server/platform';
import { contains, embeddedIPv4, parseNetwork } from '@/server/platform';
import { reachOf } from './reach';

/** A host or a network that whoever runs the server listed, on one port or on all. */
interface Entry {
  readonly to: string | Network;
  readonly port: number | undefined;
}

/** One address of a host, as somebody wants to connect to it. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly address: AddressBytes;
}

/** Which addresses may be connected to. */
export interface OutboundPolicy {
  readonly entries: readonly Entry[];
}

const ENTRY = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:]*)|(?<groups>[^[\]]*:[^[\]]*:[^[\]]*?))(?::(?<port>\d{1,5}))?$/;
const NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/** Reads `HOST|CIDR[:PORT],…`; nothing is the policy of public addresses only. Throws a sentence for an entry that is none. */
export function readPolicy(written: string | undefined): OutboundPolicy {
  const texts = (written ?? '').split(',').map((text) => text.trim());
  return { entries: texts.filter((text) => text !== '').map(readEntry) };
}

/** The policy with one host and port more: an address that whoever runs the server named elsewhere counts as listed. */
export function withHost({ entries }: OutboundPolicy, { host, port }: Omit<Target, 'address'>): OutboundPolicy {
  return { entries: [...entries, { to: parseNetwork(host) ?? host, port }] };
}

/** Why an address may not be connected to; undefined when it may. The address itself is not told: a sentence reaches whoever wrote the name. */
export function refusalOf({ entries }: OutboundPolicy, { host, port, address }: Target): string | undefined {
  const reach = reachOf(address);
  if (reach === 'public') return undefined;
  if (reach === 'none') return `${host} resolves to an address that is not a host address`;
  const listed = entries.filter((entry) => covers(entry, host, address));
  if (reach === 'private') {
    if (listed.some((entry) => entry.port === undefined || entry.port === port)) return undefined;
    return `${host} resolves to a private address; allow it on the server: --outbound-allow ${written(host)}`;
  }
  if (listed.some((entry) => entry.port === port)) return undefined;
  return `${host} resolves to a loopback or link-local address; allow it on the server with its port: --outbound-allow ${written(host)}:${port}`;
}

/** The name of a host as all compare it: lower case, no dot at the end, numbers as an address; undefined for what is no name. */
export function canonicalHost(text: string): string | undefined {
  if (!URL.canParse(`http://${bracketed(text)}`)) return undefined;
  const url = new URL(`http://${bracketed(text)}`);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isWhole =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '' && url.port === '';
  return isWhole && (parseNetwork(host) !== undefined || NAME.test(host)) ? host : undefined;
}

const bracketed = (host: string) => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
const written = (host: string) => bracketed(host);

function covers({ to }: Entry, host: string, address: AddressBytes): boolean {
  return typeof to === 'string' ? to === host : contains(to, address) || contains(to, embeddedIPv4(address));
}

function readEntry(text: string): Entry {
  const { bracketed: inner, plain, groups, port } = ENTRY.exec(text)?.groups ?? {};
  // Groups of IPv6 without brackets have no port: the last colon is one of theirs.
  const name = inner ?? plain ?? (groups === undefined ? '' : text);
  const portNumber = groups !== undefined || port === undefined ? undefined : Number(port);
  const to = parseNetwork(name) ?? canonicalNetworkOrHost(name);
  if (to === undefined || portNumber === 0 || (portNumber ?? 0) > 65_535) {
    throw new AppError(
      'invalid',
      `--outbound-allow must be HOST, ADDRESS or NETWORK/BITS, with :PORT where one is meant, found ${JSON.stringify(text)}`,
    );
  }
  return { to, port: portNumber };
}

function canonicalNetworkOrHost(name: string): Network | string | undefined {
  const host = name.includes('/') ? undefined : canonicalHost(name);
  return host === undefined ? undefined : (parseNetwork(host) ?? host);
}
