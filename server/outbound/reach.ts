import type { AddressBytes } from '@/server/platform';
import { contains, embeddedIPv4, parseNetwork } from '@/server/platform';

/**
 * Whose an address is. `local` are loopback, link-local, and where clouds serve the credentials of a machine: what listens there trusts whoever
 * reaches it. `none` leads to no single host: multicast, unspecified, reserved, documentation.
 */
export type Reach = 'public' | 'private' | 'local' | 'none';

/** The first that holds an address counts (IANA special-purpose registries; addresses of metadata services as their clouds document them). */
const TABLE: readonly (readonly [string, Reach])[] = [
  ['0.0.0.0/8', 'none'],
  ['10.0.0.0/8', 'private'],
  ['100.100.100.200/32', 'local'],
  ['100.64.0.0/10', 'private'],
  ['127.0.0.0/8', 'local'],
  ['168.63.129.16/32', 'local'],
  ['169.254.0.0/16', 'local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'none'],
  ['192.0.2.0/24', 'none'],
  ['192.88.99.0/24', 'none'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'none'],
  ['203.0.113.0/24', 'none'],
  ['224.0.0.0/3', 'none'],
  ['0.0.0.0/0', 'public'],
  ['::1/128', 'local'],
  ['fd00:ec2::254/128', 'local'],
  ['fd20:ce::254/128', 'local'],
  ['fe80::/10', 'local'],
  ['fc00::/7', 'private'],
  ['fec0::/10', 'private'],
  ['64:ff9b:1::/48', 'private'],
  ['2001::/32', 'none'],
  ['2001:db8::/32', 'none'],
  ['3fff::/20', 'none'],
  ['2000::/3', 'public'],
  ['::/0', 'none'],
];
const NETWORKS = TABLE.flatMap(([text, reach]) => {
  const network = parseNetwork(text);
  return network === undefined ? [] : [{ network, reach }];
});

/** Whose an address is, by the host that it leads to in the end. */
export function reachOf(address: AddressBytes): Reach {
  const innermostBytes = embeddedIPv4(address);
  return NETWORKS.find(({ network }) => contains(network, innermostBytes))?.reach ?? 'none';
}
