import { describe, expect, it } from 'vitest';
import type { Target } from '@/server/outbound/policy';
import { canonicalHost, readPolicy, refusalOf } from '@/server/outbound/policy';
import { reachOf } from '@/server/outbound/reach';
import { contains, parseAddress, parseNetwork } from '@/server/platform';

const bytesOf = (text: string) => parseAddress(text) ?? [];
const target = (text: string, more: Partial<Omit<Target, 'address'>> = {}): Target => ({
  host: 'charts.test',
  port: 443,
  ...more,
  address: bytesOf(text),
});
const may = (allow: string | undefined, wanted: Target) => refusalOf(readPolicy(allow), wanted) === undefined;

describe('whose an address is', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['198.18.0.1', 'private'],
    ['fd12::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:a00:1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b:1::1', 'private'],
    ['2002:a00:1::1', 'private'],
    ['127.0.0.1', 'local'],
    ['127.255.255.254', 'local'],
    ['::1', 'local'],
    ['0:0:0:0:0:0:0:1', 'local'],
    ['::ffff:127.0.0.1', 'local'],
    ['::FFFF:7f00:1', 'local'],
    ['64:ff9b::127.0.0.1', 'local'],
    ['2002:7f00:1::', 'local'],
    ['169.254.169.254', 'local'],
    ['::ffff:169.254.169.254', 'local'],
    ['fe80::1', 'local'],
    ['febf::1', 'local'],
    ['fd00:ec2::254', 'local'],
    ['100.100.100.200', 'local'],
    ['168.63.129.16', 'local'],
    ['0.0.0.0', 'none'],
    ['0.1.2.3', 'none'],
    ['::', 'none'],
    ['::ffff:0.0.0.0', 'none'],
    ['::7f00:1', 'none'],
    ['224.0.0.1', 'none'],
    ['255.255.255.255', 'none'],
    ['240.0.0.1', 'none'],
    ['192.0.0.192', 'none'],
    ['ff02::1', 'none'],
    ['2001:0:1::1', 'none'],
    ['2001:db8::1', 'none'],
    ['5f00::1', 'none'],
  ])('[issue 12, 5] of %s: %s', (text, reach) => {
    expect(reachOf(bytesOf(text))).toBe(reach);
  });

  it('[issue 12, 5] is not asked of what is no address', () => {
    expect(['fe80::1%eth0', '127.1', '0x7f000001', '2130706433', '010.0.0.1', '1.2.3.4.5', ''].map(parseAddress)).toEqual(
      new Array(7).fill(undefined),
    );
  });
});

describe('a name of a host', () => {
  it.each([
    ['Charts.Example.COM', 'charts.example.com'],
    ['example.com.', 'example.com'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['::1', '::1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['a%2eb', 'a.b'],
  ])('[issue 12, 5] is the same however it is written: %s', (written, canonical) => {
    expect(canonicalHost(written)).toBe(canonical);
  });

  it.each(['', 'a b', 'a/b', 'a@b', 'a:80', 'a?b', 'a#b', '-a', 'fe80::1%25eth0', 'a..b', '*.example.com'])(
    '[issue 12, 5] is none: %j',
    (written) => {
      expect(canonicalHost(written)).toBeUndefined();
    },
  );
});

describe('what may be connected to', () => {
  it('[issue 12, 5] is public unless something is listed', () => {
    expect(['8.8.8.8', '2606:4700::1'].map((text) => may(undefined, target(text)))).toEqual([true, true]);
    expect(
      ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1', '0.0.0.0', '224.0.0.1'].map((text) => may('', target(text))),
    ).toEqual(new Array(7).fill(false));
  });

  it('[issue 12, 5] is private where the host or its network is listed, on the port where one is named', () => {
    expect(may('charts.test', target('10.0.0.1'))).toBe(true);
    expect(may('Charts.Test.', target('10.0.0.1'))).toBe(true);
    expect(may('other.test', target('10.0.0.1'))).toBe(false);
    expect(may('10.0.0.0/8', target('10.200.0.1'))).toBe(true);
    expect(may('10.0.0.0/16', target('10.200.0.1'))).toBe(false);
    expect(may('10.0.0.1:8443', target('10.0.0.1'))).toBe(false);
    expect(may('10.0.0.1:8443', target('10.0.0.1', { port: 8443 }))).toBe(true);
    expect(may('10.0.0.0/8', target('::ffff:10.0.0.1'))).toBe(true);
    expect(may('fd00::/8', target('fd12::1'))).toBe(true);
    expect(may('[fd00::/8]:443', target('fd12::1'))).toBe(true);
    expect(may('[fd00::/8]:444', target('fd12::1'))).toBe(false);
  });

  it('[issue 12, 5] is this machine or its link only where it is listed with its port', () => {
    for (const [host, address] of [
      ['127.0.0.1', '127.0.0.1'],
      ['[::1]', '::1'],
      ['169.254.169.254', '169.254.169.254'],
      ['charts.test', '127.0.0.1'],
      ['127.0.0.0/8', '127.9.9.9'],
      ['0.0.0.0/0', '127.0.0.1'],
      ['2130706433', '127.0.0.1'],
    ] as const) {
      expect([host, may(host, target(address))]).toEqual([host, false]);
      expect([host, may(`${host}:443`, target(address))]).toEqual([host, true]);
      expect([host, may(`${host}:444`, target(address))]).toEqual([host, false]);
    }
  });

  it('[issue 12, 5] is never an address of no host, whatever is listed', () => {
    for (const text of ['0.0.0.0', '224.0.0.1', '255.255.255.255']) expect(may('0.0.0.0/0:443,0.0.0.0/0', target(text))).toBe(false);
    for (const text of ['::', 'ff02::1', '2001:db8::1']) expect(may('[::/0]:443,::/0', target(text))).toBe(false);
  });

  it('[issue 12, 5] is refused with what to list, and without the address that the name leads to', () => {
    expect(refusalOf(readPolicy(''), target('10.1.2.3'))).toBe(
      'charts.test resolves to a private address; allow it on the server: --outbound-allow charts.test',
    );
    expect(refusalOf(readPolicy(''), target('127.0.0.1', { port: 8443 }))).toBe(
      'charts.test resolves to a loopback or link-local address; allow it on the server with its port: --outbound-allow charts.test:8443',
    );
  });

  it.each([
    'https://charts.test',
    'a b',
    'charts.test:0',
    'charts.test:70000',
    'charts.test:https',
    '10.0.0.0/33',
    '10.0.0.0/x',
    'charts.test/8',
    '*',
  ])('[issue 12, 5] is listed in words that are understood, or not at all: %j', (entry) => {
    expect(() => readPolicy(`charts.test,${entry}`)).toThrow(
      '--outbound-allow must be HOST, ADDRESS or NETWORK/BITS, with :PORT where one is meant, found',
    );
  });

  it('[issue 12, 5] compares networks bit by bit, and never one family with the other', () => {
    const network = parseNetwork('10.128.0.0/9') ?? { bytes: [], bits: 0 };
    expect([
      contains(network, bytesOf('10.127.255.255')),
      contains(network, bytesOf('10.128.0.0')),
      contains(network, bytesOf('::1')),
    ]).toEqual([false, true, false]);
  });
});
