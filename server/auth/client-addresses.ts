import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { AppError } from '@/lib/contract/app-error';
import { embeddedIPv4, parseAddress } from '@/server/platform';
import { isLoopback } from './identity';
import type { SessionMode } from './session';

/** What is asked of a request about where it comes from. */
export type PeerRequest = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } };

/** Tells who sent a request, through the proxies that are trusted. */
export interface ClientAddresses {
  /**
   * What strangers are counted as: the address of the peer, or what a trusted proxy says. Of IPv6 it is the network of the first 64 bits, of which whoever is
   * given one address has them all.
   */
  sourceOf(request: PeerRequest): string;
  /** Whether the peer itself is a proxy that is trusted. */
  isProxy(request: PeerRequest): boolean;
  /** Whether a request came from this machine, and through no proxy. */
  isLocal(request: PeerRequest): boolean;
  /** Why a credential must not travel this way; undefined where it may. */
  insecureReason(request: PeerRequest): string | undefined;
}

export interface ClientAddressesDeps {
  readonly mode: SessionMode;
  readonly publicUrl: string | undefined;
  /** Addresses and networks, such as `10.0.0.7` and `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
}

/**
 * Clients by their address. In mode token a bearer token of the cluster travels with each sign-in, in mode oidc a session that anybody could take over, so plain http is refused, except on loopback, or from a
 * trusted proxy in front of a public address that is https.
 */
export function createClientAddresses({ mode, publicUrl, trustedProxies }: ClientAddressesDeps): ClientAddresses {
  const trusted = toBlockList(trustedProxies);
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const behindTls = publicUrl?.startsWith('https://') ?? false;
  const isLocal = (request: PeerRequest) => {
    const { host = '', 'x-forwarded-for': forwardedFor, forwarded } = request.headers;
    return isLoopback(peerOf(request)) && isLoopback(hostNameOf(host)) && forwardedFor === undefined && forwarded === undefined;
  };
  return {
    isLocal,
    isProxy: (request) => isTrusted(peerOf(request)),
    sourceOf(request) {
      const peer = peerOf(request);
      if (!isTrusted(peer)) return countedAs(peer);
      // Each proxy adds whom it heard from at the end: the last one that is no proxy of ours is as far as anybody vouches.
      const hops = listOf(request.headers['x-forwarded-for']).map(withoutPort);
      return countedAs(hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer);
    },
    insecureReason(request) {
      if (mode === 'local' || isLocal(request)) return undefined;
      if (!behindTls)
        return `sign-in mode ${mode} is not served over plain http: give --public-url with an https address, and --trusted-proxies with the proxies that terminate TLS`;
      if (!isTrusted(peerOf(request)))
        return `sign-in mode ${mode} is not served over plain http, and ${peerOf(request)} is not in --trusted-proxies`;
      const [protocol = 'https'] = listOf(request.headers['x-forwarded-proto']).slice(-1);
      return protocol === 'https'
        ? undefined
        : `sign-in mode ${mode} is not served over plain http, and the proxy reports that this request came over http`;
    },
  };
}

function toBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    try {
      if (bits === undefined) list.addAddress(address, family);
      else list.addSubnet(address, Number(bits), family);
    } catch {
      throw new AppError('invalid', `--trusted-proxies must be addresses and networks such as 10.0.0.7 or 10.0.0.0/8, found ${entry}`);
    }
  }
  return list;
}

// An IPv4 peer of a socket that listens on both has its address written as one of IPv6.
function peerOf({ socket }: PeerRequest): string {
  return (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Some proxies add the port, which is another one with each connection. */
function withoutPort(hop: string): string {
  const { bracketed, address } = /^(?:\[(?<bracketed>[^\]]*)\]|(?<address>[^:]*))(?::\d+)?$/.exec(hop)?.groups ?? {};
  return bracketed ?? address ?? hop;
}

/** An address that carries one of IPv4 is that one; any other of IPv6 is its network. What is no address stays. */
function countedAs(address: string): string {
  const bytes = parseAddress(address.replace(/%.*$/, '')); // a zone names a card of this machine
  if (bytes === undefined || isLoopback(address)) return address;
  const inner = embeddedIPv4(bytes);
  if (inner.length === 4) return inner.join('.');
  const groups = [0, 2, 4, 6].map((at) => (((inner[at] ?? 0) << 8) | (inner[at + 1] ?? 0)).toString(16));
  return new URL(`http://[${groups.join(':')}::]`).hostname.slice(1, -1).concat('/64');
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  return text.split(',').flatMap((one) => one.trim() || []);
}

/** The name of a Host header, without its port. */
function hostNameOf(host: string): string {
  return /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host)?.[1] ?? '';
}
