import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  dryRunArguments,
  installArguments,
  rollbackArguments,
  uninstallArguments,
  upgradeArguments,
} from '@/server/chartsync/helm/arguments';
import { digestTree, missingDependencies } from '@/server/chartsync/helm/chart-tree';
import { Decoder } from '@/server/chartsync/helm/decoder';
import { findHelm, usableMajor } from '@/server/chartsync/helm/find-helm';
import { maskValues } from '@/server/chartsync/helm/masking/mask-values';
import { HelmStorage } from '@/server/chartsync/helm/storage';
import type { ReleaseRequest } from '@/server/chartsync/ports';
import { readChartText } from '@/server/chartsync/sources/chart-text';
import { startEmbedded } from '@/server/embedded';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { packChart } from '../../support/chart-archive';
import { aChart } from '../../support/chart-repository';
import { silentLog } from '../../support/silent-log';
import { temporaryFolder } from '../../support/temporary-folder';

const release = { namespace: 'pay', name: 'books' };
const CANARY = 'canary-7f3a';
const request = (more: Partial<ReleaseRequest> = {}): ReleaseRequest => ({
  release,
  onBehalfOf: { namespace: 'pay', account: undefined },
  generation: 1,
  chart: { folder: '/x/charts/ledger', path: 'charts/ledger', revision: 'c1' },
  values: { password: CANARY },
  timeoutSeconds: 300,
  maxHistory: 10,
  wait: false,
  force: false,
  skipCRDs: false,
  createNamespace: false,
  disableOpenAPIValidation: false,
  resetValues: true,
  ...more,
});
const options = { major: 4, description: 'chart-tree abc' } as const;
const rollback = { enable: true, retry: false, maxRetries: 5, force: true, disableHooks: true, timeoutSeconds: 60, wait: true };

describe('the arguments of helm', () => {
  it('[chartsync 10] ask for a dry run on the server under the name of the release, and never keep old values', () => {
    expect(dryRunArguments(request()).join(' ')).toBe(
      'upgrade books /x/charts/ledger --namespace pay --dry-run=server --values - --reset-values --history-max 10 --output json',
    );
  });

  it('[R-2-7, X-SYNC-2] install with an upgrade only over a history that was kept', () => {
    expect(upgradeArguments(request(), options)).not.toContain('--install');
    expect(installArguments(request(), { ...options, kept: false })[0]).toBe('install');
    expect(installArguments(request(), { ...options, kept: true }).slice(0, 6)).toEqual([
      'upgrade',
      'books',
      '/x/charts/ledger',
      '--namespace',
      'pay',
      '--install',
    ]);
  });

  it('[chartsync 10] use the words of each major, and always name the revision to go back to', () => {
    expect(rollbackArguments(release, { to: 3, policy: rollback, major: 4 }).join(' ')).toBe(
      'rollback books 3 --namespace pay --timeout 60s --wait --no-hooks --force-replace --server-side=false',
    );
    expect(rollbackArguments(release, { to: 3, policy: rollback, major: 3 })).toContain('--force');
    const gently = { to: 3, policy: { ...rollback, force: false } };
    expect(rollbackArguments(release, { ...gently, major: 4 }).slice(-2)).toEqual(['--server-side=true', '--force-conflicts']);
    expect(rollbackArguments(release, { ...gently, major: 3 }).join(' ')).not.toMatch(/force|server-side/);
    const uninstall = ['uninstall', 'books', '--namespace', 'pay', '--timeout', '300s'];
    expect(uninstallArguments(release, { hooks: true })).toEqual(uninstall);
    expect(uninstallArguments(release, { hooks: false })).toEqual([...uninstall, '--no-hooks']);
  });

  it('[issue 12, 5] hold no value', () => {
    const all = [dryRunArguments(request()), upgradeArguments(request(), options), installArguments(request(), { ...options, kept: true })];
    expect(all.flat().join(' ')).not.toContain(CANARY);
  });
});

describe('what helm says', () => {
  it('[chartsync 14.23] is told without the values in it', () => {
    const values = { a: { password: CANARY, lines: `first line\n${CANARY}-2` }, list: ['deep-secret'], port: 8080, on: 'on' };
    const text = `failed at <.Values.a.password>: ${CANARY} first line ${CANARY}-2 deep-secret 8080 on`;
    expect(maskValues(text, values)).toBe('failed at <.Values.a.password>: [masked] [masked] [masked] [masked] [masked] on');
  });

  it('[issue 12.5] hides numbers as they are and as Go writes them, also those beyond 2^53', () => {
    const told = maskValues('12345678901234567891 1.2345678901234567e+19 1234567 1.234567e+06 1e-07', [
      12345678901234567891n,
      1234567,
      1e-7,
    ]);
    expect(told).toBe(Array(5).fill('[masked]').join(' '));
  });

  it('[chartsync 14.23] has none of many values left in it, wherever they stand and however they overlap, and is as it was elsewhere', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 8 }), texts, (values, text) => {
        const told = maskValues(text, { values });
        const leaves = values.filter((value) => value.length >= 4);
        for (const kept of told.split('[masked]')) for (const leaf of leaves) expect(kept).not.toContain(leaf);
        if (!leaves.some((leaf) => text.includes(leaf))) expect(told).toBe(text);
      }),
    );
    expect(maskValues('xabcdefgx', { values: ['abcde', 'defg'] })).toBe('x[masked]x');
  });

  it.each([
    ['quoted', (text: string) => JSON.stringify(text)],
    ['in JSON as Go writes it', (text: string) => JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')],
    ['quoted in a line that is quoted', (text: string) => JSON.stringify(JSON.stringify(text))],
    ['in base64', (text: string) => Buffer.from(text).toString('base64')],
    ['in base64 behind another', (text: string) => Buffer.from(`ann:${text}`).toString('base64')],
    ['in base64 before another', (text: string) => Buffer.from(`us:${text}; more`).toString('base64url')],
  ])('[issue 12.5] hides a value that stands there %s', (_how, write) => {
    const value = 'p"ss\\w\tord <é> 7';
    const told = maskValues(`Invalid value: ${write(value)}: no`, { a: { password: value } });
    expect(told).toMatch(/^Invalid value: \S*\[masked\]\S*: no$/);
    for (const part of ['ss', 'ord', Buffer.from('ss\\w\tor').toString('base64').slice(0, 8)])
      expect(told.replace('[masked]', '')).not.toContain(part);
  });

  it('[issue 10.1] hides a long value as one, and each long piece of one', () => {
    const value = Array.from({ length: 90 }, (_, at) => `${at};`).join('');
    expect(maskValues(`x${value}y${value.slice(0, 40)}z`, { value })).toBe(`x[masked]y${value.slice(0, 40)}z`);
    for (const told of [value.slice(0, 130), value.slice(60, 200), value.slice(-127)])
      for (let at = 0; at + 127 <= told.length; at++) expect(maskValues(told, { value })).not.toContain(told.slice(at, at + 127));
  });
});

describe('finding helm', () => {
  it.each([
    ['v3.12.9', undefined],
    ['v3.13.0', 3],
    ['v3.22.0', 3],
    ['v4.3.1', 4],
    ['v5.0.0', undefined],
    ['', undefined],
  ])('[issue 12, 2] takes 3.13 or newer and 4: %s', (version, major) => {
    expect(usableMajor(version)).toBe(major);
  });

  it('[issue 12, 2] says what was found where the one that is named is too old', async () => {
    const named = path.join(temporaryFolder(), 'helm');
    writeFileSync(named, '#!/bin/sh\necho v3.9.0\n');
    chmodSync(named, 0o755);
    const found = await findHelm({ named, clock: realClock, signal: new AbortController().signal });
    expect(found).toEqual({ kind: 'missing', why: `Helm 3.13 or newer is required, but ${named} is v3.9.0` });
  });
});

describe('a chart on disk', () => {
  const chart = () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'templates'));
    for (const [name, text] of Object.entries(aChart())) writeFileSync(path.join(folder, name), text);
    return { folder, path: 'charts/ledger', revision: 'c1' };
  };

  it('[R-1B-8] has a digest of names and bytes that a subchart changes', async () => {
    const [one, other] = [chart(), chart()];
    expect(await digestTree(one.folder)).toBe(await digestTree(other.folder));
    mkdirSync(path.join(one.folder, 'charts'));
    writeFileSync(path.join(one.folder, 'charts', 'cache-1.0.0.tgz'), packChart('cache', '1.0.0', { a: 'a' }));
    const before = await digestTree(one.folder);
    expect(before).not.toBe(await digestTree(other.folder));
    writeFileSync(path.join(one.folder, 'charts', 'cache-1.0.0.tgz'), packChart('cache', '1.0.0', { a: 'b' }));
    expect(await digestTree(one.folder)).not.toBe(before);
  });

  it('[R-1B-8] has a digest of what its links lead to as well, since Helm follows them', async () => {
    const one = chart();
    const shared = path.join(one.folder, 'shared');
    mkdirSync(shared);
    writeFileSync(path.join(shared, 'a.yaml'), 'a');
    symlinkSync('../shared', path.join(one.folder, 'templates', 'shared'));
    const before = await digestTree(one.folder);
    const other = chart();
    mkdirSync(path.join(other.folder, 'shared'));
    writeFileSync(path.join(other.folder, 'shared', 'a.yaml'), 'a');
    expect(before).not.toBe(await digestTree(other.folder));
    symlinkSync('nowhere', path.join(one.folder, 'dangling'));
    expect(await digestTree(one.folder)).toBe(before);
  });

  it('[issue 12, 5] whose archives unpack to too much is refused before Helm has it', async () => {
    const one = chart();
    mkdirSync(path.join(one.folder, 'charts'));
    const inner = packChart('inner', '1.0.0', { bomb: Buffer.alloc(300 * 1024 * 1024) });
    writeFileSync(path.join(one.folder, 'charts', 'cache-1.0.0.tgz'), packChart('cache', '1.0.0', { 'charts/inner-1.0.0.tgz': inner }));
    await expect(digestTree(one.folder)).rejects.toThrow('charts/cache-1.0.0.tgz: a chart unpacks to more than 256 MiB');
  });

  it.each([
    { $ref: 'http://169.254.169.254/latest' },
    { $ref: 'file:///etc/passwd' },
    { properties: { a: { items: [{ $ref: 'other.json' }] } } },
    { $id: 'http://charts.test/', $dynamicRef: 'meta' },
    { $schema: 'http://charts.test/schema' },
  ])('[issue 12, 5] whose schema has Helm go out, or read a file of this machine, is refused before Helm has it: %j', async (schema) => {
    const inChart = chart();
    writeFileSync(path.join(inChart.folder, 'values.schema.json'), JSON.stringify(schema));
    await expect(digestTree(inChart.folder)).rejects.toThrow(
      /^values.schema.json of the chart refers to ".*", which it does not contain: Helm must not fetch anything/,
    );
    const inArchive = chart();
    mkdirSync(path.join(inArchive.folder, 'charts'));
    const packed = packChart('cache', '1.0.0', {
      'charts/inner-1.0.0.tgz': packChart('inner', '1.0.0', { 'values.schema.json': JSON.stringify(schema) }),
    });
    writeFileSync(path.join(inArchive.folder, 'charts', 'cache-1.0.0.tgz'), packed);
    await expect(digestTree(inArchive.folder)).rejects.toThrow('charts/cache-1.0.0.tgz: values.schema.json of the chart refers to');
  });

  it('[issue 12, 5] may have a schema that stands by itself', async () => {
    const one = chart();
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { a: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/a' } },
    };
    writeFileSync(path.join(one.folder, 'values.schema.json'), JSON.stringify(schema));
    await expect(digestTree(one.folder)).resolves.toMatch(/^chart-tree /);
    writeFileSync(path.join(one.folder, 'values.schema.json'), '{');
    await expect(digestTree(one.folder)).rejects.toThrow('values.schema.json of the chart is not valid JSON');
  });

  it('[issue 12, 5] with more in a file than is read in one piece is refused before anybody waits for that', async () => {
    const one = chart();
    writeFileSync(path.join(one.folder, 'values.schema.json'), `[${'[],'.repeat(400_000)}1]`);
    await expect(digestTree(one.folder)).rejects.toThrow('values.schema.json of the chart has 1200003 bytes, more than the 1048576');
    writeFileSync(path.join(one.folder, 'Chart.yaml'), `name: ledger\nkeywords:\n${'- {}\n'.repeat(40_000)}`);
    await expect(missingDependencies(one)).rejects.toThrow('Chart.yaml of the chart has 200023 bytes, more than the 131072 that are read');
  });

  it('[issue 12, 5] has no file where there is none, and says so of none that could not be read', async () => {
    const { folder } = chart();
    symlinkSync('Chart.lock', path.join(folder, 'Chart.lock'));
    const read = (within: string) => readChartText(path.join(folder, within), { within, maxBytes: 1000 });
    expect([await read('none.yaml'), await read('.'), await read('Chart.yaml/x')]).toEqual([undefined, undefined, undefined]);
    expect(await read('Chart.yaml')).toContain('name: ledger');
    await expect(read('Chart.lock')).rejects.toThrow('Chart.lock of the chart could not be read: ELOOP');
  });

  it('[issue 12, 5] that has no end is refused before Helm has it', async () => {
    const one = chart();
    for (const name of ['a', 'b']) symlinkSync('.', path.join(one.folder, name));
    await expect(digestTree(one.folder)).rejects.toThrow(
      /a chart (contains more than 50,?000 files and folders|nests folders more than 32 deep)/,
    );
  });

  it('[X-DEP-1] lacks the dependencies that it declares and does not hold', async () => {
    const one = chart();
    const declared =
      'dependencies:\n  - { name: cache, version: 1.0.0, repository: "https://example.com" }\n  - { name: queue, version: 1.0.0 }\n  - { name: store }\n';
    writeFileSync(path.join(one.folder, 'Chart.yaml'), `apiVersion: v2\nname: ledger\nversion: 1.0.0\n${declared}`);
    mkdirSync(path.join(one.folder, 'charts', 'queue'), { recursive: true });
    for (const name of ['cache-admin-1.0.0.tgz', 'store-2.1.0-rc.1.tgz']) writeFileSync(path.join(one.folder, 'charts', name), '');
    expect((await missingDependencies(one)).map(({ name }) => name)).toEqual(['cache']);
  });
});

describe("helm's storage", () => {
  const decoder = new Decoder();
  afterAll(() => decoder[Symbol.asyncDispose]());
  const payload = (version: number, packed = true) => {
    const text = JSON.stringify({
      version,
      info: { status: 'deployed', description: 'done' },
      manifest: '',
      hooks: [],
      config: { a: 1 },
      chart: { metadata: { name: 'ledger' } },
    });
    const bytes = packed ? gzipSync(text) : Buffer.from(text);
    return Buffer.from(bytes.toString('base64')).toString('base64');
  };
  const secret = (version: number, status: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      namespace: 'default',
      name: `sh.helm.release.v1.books.v${version}`,
      labels: { owner: 'helm', name: 'books', status, version: String(version) },
    },
    data: { release: payload(version, version !== 9) },
  });

  it('[chartsync 11, 14.15] has revisions in the order of their numbers, packed or plain, and their states without their payloads', async () => {
    const random = createRandom(5);
    await using embedded = await startEmbedded({ clock: realClock, random, ids: systemIds, log: silentLog, controllers: false });
    for (const [version, status] of [
      [10, 'deployed'],
      [9, 'superseded'],
      [2, 'failed'],
    ] as const)
      await embedded.cluster.create(secret(version, status));
    const storage = new HelmStorage(embedded.cluster, decoder);
    const books = { namespace: 'default', name: 'books' };
    expect((await storage.readHistory(books)).map(({ revision }) => revision)).toEqual([2, 9, 10]);
    expect(await storage.readStates('default')).toEqual(new Map([['books', 'deployed']]));
    expect(await storage.readRevision(books, 9)).toMatchObject({
      revision: 9,
      values: { a: 1 },
      description: 'done',
      chart: { metadata: { name: 'ledger' } },
    });
    expect(await storage.readRevision(books, 10)).toMatchObject({ revision: 10, status: 'deployed' });
    expect(await storage.readHistory({ namespace: 'default', name: 'other' })).toEqual([]);
  });

  it('[issue 12, 2] has the payload of the newest revision read once, and again once its Secret is another', async () => {
    const random = createRandom(5);
    await using embedded = await startEmbedded({ clock: realClock, random, ids: systemIds, log: silentLog, controllers: false });
    const { cluster } = embedded;
    let read = 0;
    const storage = new HelmStorage(cluster, {
      decode(encoded) {
        read++;
        return decoder.decode(encoded);
      },
    });
    const books = { namespace: 'default', name: 'books' };
    expect(await storage.readLatest(books)).toBeUndefined();
    const stored = await cluster.create(secret(2, 'deployed'));
    for (let turn = 0; turn < 3; turn++) expect(await storage.readLatest(books)).toMatchObject({ revision: 2, values: { a: 1 } });
    expect(read).toBe(1);
    // Somebody marks it: the same revision is another Secret.
    await cluster.update({ ...stored, metadata: { ...stored.metadata, labels: { ...stored.metadata.labels, status: 'failed' } } });
    expect(await storage.readLatest(books)).toMatchObject({ revision: 2 });
    expect(read).toBe(2);
    await cluster.create(secret(10, 'deployed'));
    expect(await storage.readLatest(books)).toMatchObject({ revision: 10 });
    expect(read).toBe(3);
    for (const name of ['v2', 'v10'])
      await cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: `sh.helm.release.v1.books.${name}` });
    expect(await storage.readLatest(books)).toBeUndefined();
  });

  it('[chartsync 14.23] says of a payload that it cannot read, and nothing of what stands in it', async () => {
    await expect(
      decoder.decode({ kind: 'payload', text: Buffer.from(Buffer.from(`{"${CANARY}`).toString('base64')).toString('base64') }),
    ).rejects.toThrow(/^a release of Helm could not be read: SyntaxError$/);
  });
});
