import { describe, expect, it } from 'vitest';
import { messageOf } from '@/lib/contract/app-error';
import { parseManifest, parseValues, toSortedYaml, toYaml } from '@/server/commands/manifest-text';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
const MOST = 3_145_728;

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return messageOf(error);
  }
  return 'it was taken';
}

/** Maps within maps, so many levels below the top. */
const nested = (levels: number) => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`;

describe('the text of a manifest', () => {
  it('[design 8] is one object with its kind, version and name', () => {
    expect(parseManifest(`${HEAD}data: {k: "v", n: 1}`)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { k: 'v', n: 1 },
    });
    expect(parseManifest('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}').kind).toBe('ConfigMap');
  });

  it.each([
    ['', 'must contain one object, found nothing'],
    [`${HEAD}---\n${HEAD}`, 'must contain one object, found 2 documents'],
    ['hunter2', 'found a string'],
    ['12', 'found a number'],
    ['[a]', 'found a list'],
    ['null', 'found nothing'],
    ['kind: A\nmetadata: {name: a}', 'found a map without apiVersion$'],
    ['apiVersion: v1\nmetadata: {name: a}', 'found a map without kind$'],
    ['apiVersion: v1\nkind: A\nmetadata: {}', 'found a map without metadata.name$'],
    ['apiVersion: v1\nkind: A\nmetadata: [name]', 'found a map without metadata.name$'],
    ['apiVersion: v1\nkind: A', 'found a map without metadata.name$'],
    ['a: [', 'the manifest is not valid YAML: '],
    ['a: *none', 'which is not defined'],
    ['a: 1\n  b: 2', 'at line 1, column'],
  ])('[design 8] is refused with a sentence: %j', (text, sentence) => {
    expect(refusalOf(() => parseManifest(text))).toMatch(
      new RegExp(sentence === 'which is not defined' ? 'not valid YAML|cannot be followed' : sentence),
    );
  });

  it('[design 8] is refused where it is nested deeper than the setting, and taken at it', () => {
    expect(refusalOf(() => parseManifest(`${HEAD}data: ${nested(9)}`, 10))).toBe('it was taken');
    expect(refusalOf(() => parseManifest(`${HEAD}data: ${nested(30)}`, 10))).toBe(
      'the manifest is nested deeper than 10 levels (--max-depth)',
    );
    expect(refusalOf(() => parseManifest(`${HEAD}data: ${nested(3000)}`))).toContain('is nested deeper than 100 levels');
  });

  it('[issue 10.4] is refused for its depth before any of it is parsed', () => {
    const parse = () => {
      throw new Error('it was parsed');
    };
    expect(refusalOf(() => parseManifest(`${HEAD}data: ${nested(30)}`, 10, parse))).toContain('is nested deeper than 10 levels');
    expect(refusalOf(() => parseManifest(`${HEAD}data: ${nested(9)}`, 10, parse))).toBe('it was parsed');
  });

  it('[design 8] has at most fifty aliases, none of which is for ever, and says what they stand for once for each', () => {
    const aliases = (count: number) => `${HEAD}data:\n  a: &a v\n${Array.from({ length: count }, (_, at) => `  b${at}: *a\n`).join('')}`;
    expect(parseManifest(aliases(3))).toMatchObject({ data: { a: 'v', b2: 'v' } });
    expect(refusalOf(() => parseManifest(aliases(50)))).toBe('it was taken');
    expect(refusalOf(() => parseManifest(aliases(51)))).toBe('the manifest must have at most 50 aliases');
    expect(refusalOf(() => parseManifest(`${HEAD}data: &a {k: *a}`))).toBe(
      'the manifest has an alias inside what it stands for, so it would have no end',
    );
    const bomb = `${HEAD}data:\n  a: &a [x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e'].map((name, at) => `  ${name}: &${name} [${Array(8).fill(`*${'abcd'[at]}`).join(', ')}]\n`).join('')}`;
    expect(refusalOf(() => parseManifest(bomb))).toMatch(/alias that cannot be followed: |at most 50 aliases/);
  });

  it.each([
    ['__proto__: {a: 1}', 'has a key __proto__, which is not allowed'],
    ['data: {"__proto__": 1}', 'has a key __proto__, which is not allowed'],
    ['data: {k: 1, k: 2}', 'must have each key of a map once, found "k" twice'],
    ['data: {? {a: 1} : 2}', 'must have plain keys, found an alias or a collection for a key'],
    ['data: {? [a] : 2}', 'must have plain keys'],
  ])('[design 8] is refused with keys that are none, or twice: %s', (line, sentence) => {
    expect(refusalOf(() => parseManifest(`${HEAD}${line}`))).toContain(sentence);
  });

  it('[issue 10.4] keeps whole numbers as they are, or is refused with the place', () => {
    for (const taken of ['9007199254740991', '-9007199254740991', '1.5', '1e3', '"9007199254740993"', 'true', '1.0'])
      expect(
        refusalOf(() => parseManifest(`${HEAD}data: {n: ${taken}}`)),
        taken,
      ).toBe('it was taken');
    for (const refused of [
      '9007199254740993',
      '-9007199254740993',
      '+9007199254740993',
      '9007199254740993.0',
      '0x20000000000001',
      '0o400000000000000001',
    ])
      expect(
        refusalOf(() => parseManifest(`${HEAD}data: {n: ${refused}}`)),
        refused,
      ).toBe(
        `data.n is ${refused}, and whole numbers beyond 9007199254740991 are not kept exactly: write it in quotes, if the kind accepts a string`,
      );
    expect(refusalOf(() => parseManifest(`${HEAD}data: {list: [1, {n: 9007199254740993}]}`))).toContain(
      'data.list[1].n is 9007199254740993',
    );
  });

  it.each([
    '18014398509481984',
    '-18014398509481984',
    '+18014398509481984',
    '18014398509481984.',
    '18014398509481984.00',
    '1000000000000000000000',
    '-1000000000000000000000.00',
    '0x1000000000000000000',
    '0o1000000000000000000000000',
  ])('[issue 10.4] is refused with a whole number beyond 2^53 also where one reader keeps it, as %s: others do not', (whole) => {
    expect(refusalOf(() => parseManifest(`${HEAD}data: {n: ${whole}}`))).toContain(
      `data.n is ${whole}, and whole numbers beyond 9007199254740991 are not kept exactly`,
    );
  });

  it('[design 8] stands for at most fifty times what an alias names, and merges no maps into others', () => {
    const times = (count: number) => `[${Array(count).fill('*b').join(', ')}]`;
    const nestedAliases = (count: number) => `${HEAD}a: &a [x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: ${times(count)}\n`;
    expect(refusalOf(() => parseManifest(nestedAliases(2)))).toBe('it was taken');
    expect(refusalOf(() => parseManifest(nestedAliases(7)))).toContain('has an alias that cannot be followed');
    expect(parseManifest(`${HEAD}base: &base {k: v}\ndata: {<<: *base}`)).toMatchObject({ data: { '<<': { k: 'v' } } });
  });

  it('[issue 10.4] names the field of such a number, and not the number where nobody can tell who may read it', () => {
    const refused = (text: string): unknown => {
      try {
        return parseManifest(`${HEAD}${text}`);
      } catch (error) {
        return error;
      }
    };
    expect(refused('data: {n: 9007199254740993}')).toMatchObject({ code: 'invalid', details: { field: 'data.n' } });
    expect(refused('kind2: Secret\nenv: [{name: A, sensitive: true, value: 9007199254740993}]')).toMatchObject({
      message: expect.stringMatching(/^env\[0\]\.value is a whole number beyond 9007199254740991, which is not kept exactly/),
    });
    for (const alias of ['*none', '*n'])
      expect(refused(`data: {n: &n [9007199254740993, ${alias}]}`)).not.toMatchObject({
        message: expect.stringContaining('9007199254740993'),
      });
  });

  it('[design 8] is told of with little of a long key', () => {
    const long = 'k'.repeat(200);
    expect(refusalOf(() => parseManifest(`${HEAD}data: {${long}: 1, ${long}: 2}`))).toContain(`found "${'k'.repeat(80)}" twice`);
  });

  it('[design 8] has no more than a cluster takes in one request', () => {
    const sized = (size: number) => `${HEAD}data: {k: "${'x'.repeat(size)}"}`;
    const around = JSON.stringify(parseManifest(sized(0))).length;
    expect(refusalOf(() => parseManifest(sized(MOST - around)))).toBe('it was taken');
    expect(refusalOf(() => parseManifest(sized(MOST - around + 1)))).toBe(
      `the manifest has ${MOST + 1} characters of JSON, and a cluster takes at most ${MOST}`,
    );
  });
});

describe('a text of values', () => {
  it.each(['', '\n\n', '# nothing\n   # yet\r\n', '   '])('[design 8] with nothing in it is an empty map: %j', (text) => {
    expect(parseValues(text)).toEqual({});
  });

  it('[design 8] is a map, and nothing of anything else is told', () => {
    expect(parseValues('# of the chart\na: {b: 1}')).toEqual({ a: { b: 1 } });
    for (const [text, kind] of [
      ['[hunter2]', 'a list'],
      ['hunter2', 'a string'],
      ['1', 'a number'],
      ['null', 'nothing'],
    ] as const)
      expect(refusalOf(() => parseValues(text))).toBe(`values must be a map, found ${kind}`);
    expect(refusalOf(() => parseValues(`a: ${nested(30)}`, 10))).toContain('nested deeper than 10 levels');
    expect(refusalOf(() => parseValues('a: 9007199254740993'))).toBe(
      'a is a whole number beyond 9007199254740991, which is not kept exactly: write it in quotes, if the kind accepts a string',
    );
  });
});

describe('an object as people read it', () => {
  it('[design 8] is written as it is, or by the names of its members; long texts on one line and without aliases', () => {
    const shared = { z: 1, a: 2 };
    expect(toYaml({ b: shared, a: shared })).toBe('b:\n  z: 1\n  a: 2\na:\n  z: 1\n  a: 2\n');
    expect(toSortedYaml({ b: shared, a: shared })).toBe('a:\n  a: 2\n  z: 1\nb:\n  a: 2\n  z: 1\n');
    expect(toYaml({ k: 'word '.repeat(60) }).split('\n')).toHaveLength(2);
    expect(toSortedYaml({ k: 'word '.repeat(60) }).split('\n')).toHaveLength(2);
  });
});
