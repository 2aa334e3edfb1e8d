import { describe, expect, it } from 'vitest';
import { isDeeper } from '@/lib/std/nesting';
import { parseManifest, parseValues } from '@/server/commands/manifest-text';
import { createApiRig } from '@/test/server/api/rig';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';
const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
const block = (levels: number) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n');

describe('a text that somebody writes', () => {
  it.each([
    ['brackets', (levels: number) => nested(levels, '[', ']')],
    ['braces of JSON', (levels: number) => nested(levels, '{"a":', '}')],
    ['brackets behind quotes that hold some', (levels: number) => nested(levels, '["]]]",', ']')],
    ['brackets on lines of their own', (levels: number) => nested(levels, '[\n', ']\n')],
    ['blocks', block],
    ['dashes on one line', (levels: number) => `${'- '.repeat(levels - 1)}a`],
    ['blocks and brackets', (levels: number) => `${block(levels / 2)} ${nested(levels / 2, '{b: ', '}')}`],
  ])('[issue 10.4] nested beyond the limit by %s is found without parsing it, and at the limit it is not', (_how, write) => {
    expect(isDeeper(write(100), 100)).toBe(false);
    expect(isDeeper(write(104), 100)).toBe(true);
  });

  it.each([
    ['a script in a block of text', `script: |\n${'  if [ {\n'.repeat(300)}next: 1`],
    ['brackets in quotes', `a: "${'['.repeat(300)}"\nb: '${'{'.repeat(300)}'`],
    ['brackets in a comment', `a: 1 # ${'['.repeat(300)}`],
    ['brackets within a word', `a: x${'['.repeat(300)}`],
    ['many keys side by side', Array.from({ length: 5000 }, (_, at) => `a${at}:\n  b: [1]`).join('\n')],
    ['a list of lists beside each other', '- - 1\n  - 2\n'.repeat(500)],
  ])('[issue 10.4] is not called nested for %s', (_what, text) => {
    expect(isDeeper(text, 20)).toBe(false);
  });

  it('[issue 10.4] three thousand levels are refused at once, a hundred are taken', () => {
    const deep = (levels: number) => `${HEAD}data: ${nested(levels, '{a: ', '}')}`;
    expect(() => parseManifest(deep(3000))).toThrow('nested deeper than 100 levels (--max-depth)');
    expect(() => parseManifest(deep(90), 50)).toThrow('nested deeper than 50 levels');
    expect(parseManifest(deep(90))).toMatchObject({ kind: 'ConfigMap' });
  });

  it.each(['9007199254740993', '-9007199254740993', '0x20000000000001', '9007199254740993.0'])(
    '[issue 10.4] with the number %s is refused with its path and value',
    (number) => {
      const text = `${HEAD}spec:\n  items:\n    - size: 1\n    - size: ${number}`;
      expect(() => parseManifest(text)).toThrow(
        `spec.items[1].size is ${number}, and whole numbers beyond 9007199254740991 are not kept exactly`,
      );
    },
  );

  // A double holds both of the last as 2^60, and JSON writes that as 1152921504606847000.
  it.each([
    '9.007199254740993e15',
    '+90071992547409930E-1',
    '9007199254740993.5',
    '-123456789012345678.25',
    '10000000000000000.5',
    '1.152921504606846976e18',
    '1.152921504606847e18',
  ])('[issue 10.4] with %s, which is a whole number once it is read, is refused with its path and value', (number) => {
    const field = `spec.size is ${number}, and whole numbers beyond 9007199254740991 are not kept exactly`;
    expect(() => parseManifest(`${HEAD}spec: {size: ${number}}`)).toThrow(field);
    expect(() => parseValues(`size: ${number}`)).toThrow('size is a whole number beyond 9007199254740991');
  });

  it.each(['.inf', '-.Inf', '.nan', '1e400'])(
    '[issue 10.4] with %s, which would be written as nothing at all, is refused with its path and value',
    (number) => {
      expect(() => parseManifest(`${HEAD}spec: {replicas: ${number}}`)).toThrow(`spec.replicas is ${number}, which JSON cannot hold`);
      expect(() => parseValues(`replicas: ${number}`)).toThrow('replicas is infinite or no number, which JSON cannot hold');
      expect(parseManifest(`${HEAD}spec: {replicas: "${number}"}`)).toMatchObject({ spec: { replicas: number } });
    },
  );

  it('[issue 10.4] with an alias inside what it stands for is refused with a sentence, and one beside it is taken', () => {
    for (const text of ['data: &all {a: *all}', 'data: &all [*all]', 'data: {a: &a {b: &b [*a, *b]}}'])
      expect(() => parseManifest(`${HEAD}${text}`)).toThrow('the manifest has an alias inside what it stands for, so it would have no end');
    expect(parseManifest(`${HEAD}data: {a: &a {x: y}, b: *a}`)).toMatchObject({ data: { b: { x: 'y' } } });
  });

  it('[issue 10.4] keeps numbers that can be kept, and texts of any digits', () => {
    const text = `${HEAD}data: {a: 9007199254740991, b: "9007199254740993", c: 0.1, d: 1e300, e: 1e21, f: 1234567.5, g: 9.007199254740991e15}`;
    expect(parseManifest(text)).toMatchObject({
      data: { a: 9_007_199_254_740_991, b: '9007199254740993', c: 0.1, d: 1e300, e: 1e21, f: 1234567.5, g: 9_007_199_254_740_991 },
    });
  });

  it.each([
    ['1e16', '10000000000000000'],
    ['-1E+18', '-1000000000000000000'],
    ['00.0100e20', '1000000000000000000'],
    ['12345600000.00e9', '12345600000000000000'],
    ['1000000000000000000000e-2', '10000000000000000000'],
  ])('[issue 10.4] keeps %s, however large, since JSON writes exactly that number', (number, written) => {
    expect(JSON.stringify(parseManifest(`${HEAD}spec: {size: ${number}}`))).toContain(`"size":${written}}`);
    expect(JSON.stringify(parseValues(`size: ${number}`))).toBe(`{"size":${written}}`);
  });

  it('[issue 10.4] a body that is nested without end is refused before it is parsed, and one that is not is read', async () => {
    const { send } = await createApiRig();
    const refused = await send('/api/v1/session/links', { body: nested(5000, '{"a":', '}') });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('the body is nested deeper than 100 levels')]);
    expect((await send('/api/v1/session/links', { body: { role: 'viewer' } })).status).toBe(200);
  });
});

describe('an address with a NUL character', () => {
  const paths = ['/api/v1/sessions?q=%00', '/api/v1/activity/entry?id=a%00', '/api/v1/namespaces/sh%00op/applications/web/manifest'];

  it.each(paths)('[issue 10.4] is refused with a sentence, whatever it names: %s', async (path) => {
    const { send } = await createApiRig();
    const answer = await send(path);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('NUL character (%00)')]);
    expect((await send(path.replaceAll('%00', ''))).status).not.toBe(400);
  });

  it('[issue 10.4] changes nothing either', async () => {
    const { send } = await createApiRig();
    const end = async (id: string) => (await send(`/api/v1/sessions/${id}`, { method: 'DELETE' })).status;
    expect([await end('%00'), await end('none')]).toEqual([400, 404]);
  });
});
