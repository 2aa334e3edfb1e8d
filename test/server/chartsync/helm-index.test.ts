import { describe, expect, it } from 'vitest';
import { findInIndex, prepareIndex } from '@/server/chartsync/sources/indexes/helm-index';

describe('the index of a repository', () => {
  const index = `apiVersion: v1
entries:
  cache:
  - apiVersion: v2
    created: "2026-01-01T00:00:00Z"
    description: |
      entries of
        ledger:
    digest: aaaa
    name: cache
    urls:
    - cache-1.0.0.tgz
    version: 1.0.0
  ledger:
  - annotations:
      version: 9.9.9
    digest: sha256:bbbb
    name: ledger
    urls:
    - https://elsewhere.test/ledger-1.1.0.tgz
    version: 1.1.0
  - digest: cccc
    name: ledger
    urls: [charts/ledger-1.2.0.tgz]
    version: "1.2.0"
  ledger-admin:
  - name: ledger-admin
    version: 7.0.0
    urls: [x.tgz]
generated: "2026-01-01T00:00:00Z"
`;

  it('[X-SRC-2] is asked for the newest version in a range, and is no YAML to be read whole', () => {
    expect(findInIndex(index, { name: 'ledger', range: '^1.0' })).toEqual({
      version: '1.2.0',
      url: 'charts/ledger-1.2.0.tgz',
      digest: 'cccc',
    });
    expect(findInIndex(index, { name: 'ledger', range: '1.1.0' })).toEqual({
      version: '1.1.0',
      url: 'https://elsewhere.test/ledger-1.1.0.tgz',
      digest: 'bbbb',
    });
    expect(findInIndex(index, { name: 'cache', range: '' })).toEqual({ version: '1.0.0', url: 'cache-1.0.0.tgz', digest: 'aaaa' });
    expect(findInIndex(index, { name: 'ledger-admin', range: '' })).toEqual({ version: '7.0.0', url: 'x.tgz', digest: undefined });
    const json = JSON.stringify({ entries: { ledger: [{ version: '1.0.0', urls: ['a.tgz'], digest: 'dd' }] } });
    expect(findInIndex(json, { name: 'ledger', range: '' })).toEqual({ version: '1.0.0', url: 'a.tgz', digest: 'dd' });
  });

  it.each([
    ['entries', 'entries: { ledger: [ { version: 1.2.0, urls: [a.tgz], digest: "dd" } ], cache: [] }'],
    ['all of it', '{ apiVersion: v1, entries: { ledger: [ { version: 1.2.0, urls: [a.tgz], digest: dd } ] } }'],
    ['a list', 'entries:\n  cache: []\n  ledger: [ { version: 1.2.0, urls: [a.tgz], digest: dd } ]\n'],
    [
      'a list of lines',
      'entries:\n  ledger: [\n    { version: 1.1.0, urls: [x.tgz] },\n    { version: 1.2.0, urls: [a.tgz], digest: dd } ]\n  cache: []\n',
    ],
    ['an item', 'entries:\n  ledger:\n  - { version: 1.1.0, urls: [x.tgz] }\n  - version: 1.2.0\n    urls: [a.tgz]\n    digest: dd\n'],
    ['an item whose keys are quoted', 'entries:\n  ledger:\n  - "version": 1.2.0\n    "urls": [a.tgz]\n    "digest": dd\n'],
  ])('[X-SRC-2] is read where %s is in flow style', (_what, text) => {
    expect(findInIndex(text, { name: 'ledger', range: '^1' })).toEqual({ version: '1.2.0', url: 'a.tgz', digest: 'dd' });
    expect(() => findInIndex(text, { name: 'cache', range: '' })).toThrow('the repository has no chart cache');
  });

  it('[X-SRC-2] in flow style is not parsed where that would take long', () => {
    const text = `entries: { ledger: [ ${'{ version: 1.0.0, urls: [a.tgz] }, '.repeat(20_000)} ] }`;
    expect(() => findInIndex(text, { name: 'ledger', range: '' })).toThrow('write it with "helm repo index"');
  });

  it('[issue 12, 5] with versions of a chart without end is not looked through, in YAML nor in JSON', async () => {
    const many = Array.from({ length: 20_001 }, (_, at) => ({ version: `1.0.${at}`, urls: ['a'] }));
    const lines = (versions: typeof many) =>
      `entries:\n  a:\n${versions.map(({ version }) => `  - version: ${version}\n    urls: [a]\n`).join('')}`;
    const of = (versions: typeof many) => prepareIndex(JSON.stringify({ entries: { a: versions } }), new AbortController().signal);
    const newest = { name: 'a', range: '*' };
    const few = many.slice(0, -1);
    for (const index of [lines(few), await of(few)]) expect(findInIndex(index, newest).version).toBe('1.0.19999');
    for (const index of [lines(many), await of(many), `entries:\n  a:\n${'  - \n'.repeat(1_000_000)}`])
      expect(() => findInIndex(index, newest)).toThrow(
        'the repository has more than 20,000 versions of chart a, which are not looked through',
      );
  });

  it('[X-SRC-2] says what it lacks', () => {
    expect(() => findInIndex(index, { name: 'books', range: '' })).toThrow('the repository has no chart books');
    expect(() => findInIndex(index, { name: 'ledger', range: '^2' })).toThrow('the repository has no version of chart ledger for "^2"');
    expect(() => findInIndex('<html>', { name: 'ledger', range: '' })).toThrow('the index of the repository has no entries');
    expect(() => findInIndex('\n<html>', { name: 'ledger', range: '' })).toThrow('has no entries: it is a web page');
  });

  const head = 'apiVersion: v1\nentries:\n  cache:\n  - version: 1.0.0\n    urls: [a.tgz]\n  ledger:\n  - version: 1.0.0\n';
  it.each([
    [12, 'Nested mappings', `${head}    urls: [a.tgz]\n  - version: 1.1.0\n    digest: dd\n    urls:\n    - a: b: s3cret\n`],
    [10, 'a map has a key twice', `${head}    urls: [a.tgz]\n  - version: 1.1.0\n    version: 1.1.0\n  other: []\n`],
    [9, 'must be sufficiently indented and end with a ]', `${head}    urls: [s3cret\n    digest: dd\n`],
    [8, 'Unexpected', `${head}\turls: [s3cret]\n`],
    [3, 'Flow map in block collection', 'apiVersion: v1\nentries: { ledger: [ { version: 1.0.0,\n urls: [s3cret] ] }\n'],
    [3, 'Missing , between', '{\n"entries": { "ledger": [ { "version": "1.0.0"\n"urls": ["s3cret"] } ] } }'],
  ])('[X-SRC-2] that cannot be read says at which line, and why: line %i', (line, why, text) => {
    const find = () => findInIndex(text, { name: 'ledger', range: '' });
    expect(find).toThrow(new RegExp(`the index of the repository cannot be read at line ${line}: .*${why.replace(']', '\\]')}`));
    expect(find).not.toThrow('s3cret');
  });

  const NEVER = new AbortController().signal;
  const A_CHART = { version: '1.0.0', urls: ['a.tgz', 'b.tgz'], digest: 'dd', description: 'x'.repeat(2000) };

  it('[issue 12, figures] of megabytes of JSON is read beside the event loop, and only what is asked for is kept of it', async () => {
    const ledger = [...new Array<object>(200).fill(A_CHART), { ...A_CHART, version: '1.2.0' }, null];
    const text = JSON.stringify({ entries: { ledger, cache: [], other: 'none' } });
    let turns = 0;
    const count = () => {
      turns++;
      ticking = setImmediate(count);
    };
    let ticking = setImmediate(count);
    const index = await prepareIndex(text, NEVER);
    clearImmediate(ticking);
    expect(turns).toBeGreaterThan(0);
    expect(findInIndex(index, { name: 'ledger', range: '^1' })).toEqual({ version: '1.2.0', url: 'a.tgz', digest: 'dd' });
    for (const name of ['cache', 'other', 'books'])
      expect(() => findInIndex(index, { name, range: '' })).toThrow(`the repository has no chart ${name}`);
    expect(JSON.stringify([...(index as Map<string, string>)]).length).toBeLessThan(text.length / 10);
  });

  it('[issue 12, 5] of megabytes that is no JSON says at which line, and one that is given up is read no further', async () => {
    const bad = `{\n"entries": { "ledger": [ { "version": "1.0.0"\n"urls": ["s3cret${'.'.repeat(300_000)}"] } ] } }`;
    await expect(prepareIndex(bad, NEVER)).rejects.toThrow(/^the index of the repository cannot be read at line 3: it is not valid JSON$/);
    const nested = `{"entries":${'['.repeat(400_000)}`;
    await expect(prepareIndex(nested, NEVER)).rejects.toThrow('the index of the repository cannot be read');
    const stopping = new AbortController();
    const reading = prepareIndex(JSON.stringify({ entries: { ledger: new Array<object>(2000).fill(A_CHART) } }), stopping.signal);
    stopping.abort(new Error('given up'));
    await expect(reading).rejects.toThrow('given up');
  });

  it('[issue 12, figures] of many megabytes is searched in a fraction of the time that a parser takes', () => {
    const one = (name: string) =>
      `  ${name}:\n${`  - apiVersion: v2\n    description: ${'x'.repeat(400)}\n    version: 1.0.0\n    urls:\n    - a.tgz\n`.repeat(100)}`;
    const large = `apiVersion: v1\nentries:\n${Array.from({ length: 400 }, (_, at) => one(`chart-${at}`)).join('')}`;
    const before = process.cpuUsage();
    expect(findInIndex(large, { name: 'chart-399', range: '' }).version).toBe('1.0.0');
    const { user, system } = process.cpuUsage(before);
    expect(large.length).toBeGreaterThan(15_000_000);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
