import { describe, expect, it } from 'vitest';
import type { PeerRequest } from '@/server/auth';
import { createClientAddresses } from '@/server/auth';
import type { ClientAddressesDeps } from '@/server/auth/client-addresses';

const from = (remoteAddress: string | undefined, headers: PeerRequest['headers'] = {}): PeerRequest => ({
  socket: { remoteAddress },
  headers: { host: 'console.example.com', ...headers },
});
const here = (headers: PeerRequest['headers'] = {}) => from('127.0.0.1', { host: 'localhost:3000', ...headers });
const BEHIND_TLS: ClientAddressesDeps = {
  mode: 'token',
  publicUrl: 'https://console.example.com',
  trustedProxies: ['10.1.0.0/16', '192.0.2.7', 'fd00:1::/64', 'fd00::1'],
};
const peers = createClientAddresses(BEHIND_TLS);

describe('where a request comes from', () => {
  it.each<[string, PeerRequest, string]>([
    ['its peer, where that is no proxy of ours', from('203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }), '203.0.113.9'],
    ['the last that is none of ours', from('10.1.2.3', { 'x-forwarded-for': '1.2.3.4, 203.0.113.9 , 10.1.0.1' }), '203.0.113.9'],
    ['in several headers as in one', from('10.1.2.3', { 'x-forwarded-for': ['1.2.3.4', '203.0.113.9,'] as never }), '203.0.113.9'],
    ['what a proxy wrote that is no address', from('10.1.2.3', { 'x-forwarded-for': 'unknown' }), 'unknown'],
    ['the first of ours, where all are ours', from('10.1.2.3', { 'x-forwarded-for': '10.1.0.1, 10.1.0.2' }), '10.1.0.1'],
    ['the proxy itself, where it says nothing', from('10.1.2.3'), '10.1.2.3'],
    ['the proxy itself, where it says nobody', from('10.1.2.3', { 'x-forwarded-for': ' , ' }), '10.1.2.3'],
    ['a proxy by its one address', from('192.0.2.7', { 'x-forwarded-for': '1.2.3.4' }), '1.2.3.4'],
    ['the neighbour of that address', from('192.0.2.8', { 'x-forwarded-for': '1.2.3.4' }), '192.0.2.8'],
    ['a proxy in a network of IPv6', from('fd00:1::9', { 'x-forwarded-for': '1.2.3.4' }), '1.2.3.4'],
    ['a neighbour of that network', from('fd00:2::9', { 'x-forwarded-for': '1.2.3.4' }), 'fd00:2::/64'],
    ['a proxy in the other way to write IPv4', from('::FFFF:10.1.2.3', { 'x-forwarded-for': '1.2.3.4, ::ffff:10.1.0.9' }), '1.2.3.4'],
    ['the network of an address of IPv6', from('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64'],
    ['the same network, however the address is written', from('2001:0DB8:0001:0002::'), '2001:db8:1:2::/64'],
    ['another network for the one beside it', from('2001:db8:1:3:3:4:5:6'), '2001:db8:1:3::/64'],
    ['no zone, which names a card of this machine', from('fe80::1%eth0'), 'fe80::/64'],
    ['this machine by its own address', from('::1'), '::1'],
    ['the IPv4 address that is carried in one of IPv6', from('::ffff:cb00:7109'), '203.0.113.9'],
    ['the same through a gateway', from('64:ff9b::203.0.113.9'), '203.0.113.9'],
    ['a network of IPv6 that a proxy tells', from('10.1.2.3', { 'x-forwarded-for': '2001:db8:1:2::77' }), '2001:db8:1:2::/64'],
    ['no port that a proxy tells along', from('10.1.2.3', { 'x-forwarded-for': '203.0.113.9:61234' }), '203.0.113.9'],
    ['no port behind brackets', from('10.1.2.3', { 'x-forwarded-for': '[2001:db8:1:2::77]:61234, 10.1.0.9:80' }), '2001:db8:1:2::/64'],
    ['brackets without a port', from('10.1.2.3', { 'x-forwarded-for': '[2001:db8:1:2::77]' }), '2001:db8:1:2::/64'],
    ['an address that only holds an IPv4 one at its end', from('2001:db8:1:2::ffff:203.0.113.9'), '2001:db8:1:2::/64'],
    ['nobody knows', from(undefined, { 'x-forwarded-for': '1.2.3.4' }), 'unknown'],
  ])('[issue 10.5] %s', (_what, request, source) => {
    expect(peers.sourceOf(request)).toBe(source);
  });
});

it('[issue 10.5] the peer is a proxy by its own address alone, whatever it says', () => {
  const proxies = ['10.1.2.3', '192.0.2.7', '203.0.113.9', undefined].map((address) =>
    peers.isProxy(from(address, { 'x-forwarded-for': '10.1.2.3' })),
  );
  expect(proxies).toEqual([true, true, false, false]);
});

describe('a request from this machine', () => {
  it.each<[string, PeerRequest, boolean]>([
    ['is one from loopback to loopback', here(), true],
    ['is one from loopback in the other way to write IPv4', from('::ffff:127.0.0.1', { host: 'localhost:3000' }), true],
    ['is one to an address of IPv6', from('::1', { host: '[::1]:3000' }), true],
    ['is one to a name without a port', here({ host: 'localhost' }), true],
    ['is none from elsewhere', from('203.0.113.9', { host: 'localhost:3000' }), false],
    ['is none to another name', here({ host: 'console.example.com' }), false],
    ['is none to no name', here({ host: undefined }), false],
    ['is none to what only begins like it', here({ host: 'localhost:3000.example.com' }), false],
    ['is none to what only ends like it', here({ host: 'example.com:localhost:3000' }), false],
    ['is none through a proxy that says for whom', here({ 'x-forwarded-for': '203.0.113.9' }), false],
    ['is none through a proxy that says so by the standard', here({ forwarded: 'for=203.0.113.9' }), false],
  ])('[issue 10.5] %s', (_what, request, local) => {
    expect(peers.isLocal(request)).toBe(local);
  });
});

describe('a credential', () => {
  const by = (deps: Partial<ClientAddressesDeps>) => createClientAddresses({ ...BEHIND_TLS, ...deps });
  const proxied = (protocol?: string) => from('10.1.2.3', protocol === undefined ? {} : { 'x-forwarded-proto': protocol });

  it.each<[string, Partial<ClientAddressesDeps>, PeerRequest]>([
    ['from anywhere where sign-in is local', { mode: 'local', publicUrl: undefined, trustedProxies: [] }, from('203.0.113.9')],
    ['on this machine', { publicUrl: undefined, trustedProxies: [] }, here()],
    ['from a proxy that says nothing else', {}, proxied()],
    ['from a proxy that was asked by https', {}, proxied('https')],
    ['from a proxy that heard of http before it was asked by https', {}, proxied('http, https')],
  ])('[issue 10.5] travels %s', (_way, deps, request) => {
    expect(by(deps).insecureReason(request)).toBeUndefined();
  });

  it.each<[string, Partial<ClientAddressesDeps>, PeerRequest, string]>([
    [
      'without a public address, whoever is trusted',
      { publicUrl: undefined },
      proxied(),
      'sign-in mode token is not served over plain http: give --public-url',
    ],
    ['with one that is http', { publicUrl: 'http://console.example.com' }, proxied('https'), 'give --public-url'],
    [
      'of people of a provider',
      { mode: 'oidc', publicUrl: undefined },
      from('203.0.113.9'),
      'sign-in mode oidc is not served over plain http: give --public-url',
    ],
    ['past the proxies', {}, from('203.0.113.9'), 'and 203.0.113.9 is not in --trusted-proxies'],
    ['past them from an address that is written the other way', {}, from('::ffff:203.0.113.9'), 'and 203.0.113.9 is not in'],
    ['from a proxy that was asked by http', {}, proxied('http'), 'the proxy reports that this request came over http'],
    [
      'from a proxy that heard of https and was asked by http',
      {},
      proxied('https, http'),
      'the proxy reports that this request came over http',
    ],
  ])('[issue 10.5] does not travel %s', (_way, deps, request, why) => {
    expect(by(deps).insecureReason(request)).toContain(why);
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '10.0.0.0/x', 'fd00::/129', ''])(
    '[issue 10.5] cannot travel through a proxy that is named %j',
    (entry) => {
      expect(() => by({ trustedProxies: ['10.0.0.7', entry] })).toThrow(
        `--trusted-proxies must be addresses and networks such as 10.0.0.7 or 10.0.0.0/8, found ${entry}`,
      );
    },
  );
});
