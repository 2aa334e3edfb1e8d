import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { AppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import { answerText } from '@/server/commands/editor/answer-text';
import { checkApplicationText } from '@/server/commands/editor/check-application-text';
import { parseApplicationText } from '@/server/commands/editor/parse-application-text';
import type { RunText } from '@/server/commands/editor/text-reader';
import { createTextReader } from '@/server/commands/editor/text-reader';
import { parseManifest } from '@/server/commands/manifest-text';
import { ANN } from './objects/rig';

const HEAD = `apiVersion: ${KINDS.application.apiVersion}\nkind: Application\nmetadata: {name: web, namespace: shop}\nspec:\n`;
const written = (components: readonly object[], more: object = {}) =>
  stringify({ ...KINDS.application, metadata: { name: 'web', namespace: 'shop' }, spec: { components }, ...more });
const component = (properties: object, more: object = {}) => ({ name: 'a', type: 'webservice', properties, ...more });

/** What is marked of a text, from the first sign to the last. */
const markedIn = (text: string) =>
  checkApplicationText(text).map(({ line, column, endLine, endColumn }) => {
    const lines = text.split('\n');
    if (line === endLine) return lines[line - 1]?.slice(column - 1, endColumn - 1);
    return `${lines[line - 1]?.slice(column - 1)}…`;
  });

describe('[design 3] what is wrong with a text that is being written', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['a value', written([component({ image: 'web:1', port: 'http' })]), ['http']],
    ['a member that nothing reads, by its name', written([component({ image: 'web:1', imago: 'web:2' })]), ['imago']],
    ['what lacks a member, by the key that leads to it', written([component({ port: 80 })]), ['properties']],
    [
      'an empty value, by its key',
      `${HEAD}  components:\n    - name: a\n      type: webservice\n      properties:\n        image:\n`,
      ['image'],
    ],
    ['an entry of a list, by its first sign', written([component({ image: 'web:1', env: ['A'] })]), ['A']],
    [
      'a later entry of a long list',
      written([
        component({
          image: 'web:1',
          env: [...Array.from({ length: 11 }, (_, at) => ({ name: `A${at}`, value: 'b' })), { name: 'B', value: 5 }],
        }),
      ]),
      ['5'],
    ],
    [
      'two faults of one line, in their order',
      `${HEAD}  components: [{name: a, type: webservice, properties: {image: 5, port: http}}]\n`,
      ['5', 'http'],
    ],
  ])('is marked where it stands: %s', (_what, text, marked) => {
    expect(markedIn(text)).toEqual(marked);
  });

  it('is told without the name of the application, which everybody sees', () => {
    const [problem] = checkApplicationText(written([component({ port: 80 })]));
    expect(problem?.sentence).toMatch(/^spec\.components\[0\]\.properties/);
    expect(checkApplicationText(written([component({ image: 'web:1' })], { kind: 'Deployment' }))[0]?.sentence).toContain(
      'found Deployment of',
    );
    expect(() => parseApplicationText(written([], { apiVersion: 'argoproj.io/v1alpha1' }))).toThrow(
      `the manifest must be an Application of ${KINDS.application.apiVersion}, found Application of argoproj.io/v1alpha1`,
    );
  });

  it('is fifty faults of the YAML at most, none of which tells its place in words', () => {
    const broken = `${HEAD}${Array.from({ length: 60 }, (_, at) => `  a${at}: ]\n`).join('')}`;
    const problems = checkApplicationText(broken);
    expect(problems).toHaveLength(50);
    for (const { sentence } of problems) expect(sentence).toMatch(/^The text is not valid YAML: (?!.* at line \d)/);
  });

  it('is the first fault alone, without its place, of a text of more than 200,000 characters', () => {
    const sized = (size: number) => {
      const text = written([component({ port: 'http' }), component({ port: 'https' }, { name: 'b' })]);
      return `${text}#${'x'.repeat(size - text.length - 1)}`;
    };
    const located = checkApplicationText(sized(200_000));
    expect(located.every(({ line }) => line > 1)).toBe(true);
    expect(checkApplicationText(sized(200_001))).toEqual([
      { sentence: located.find(({ sentence }) => /\[0\]/.test(sentence))?.sentence, line: 1, column: 1, endLine: 1, endColumn: 1 },
    ]);
  });
});

describe('[design 8] a manifest that the parser itself cannot take', () => {
  const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

  it('is nested too deep, however deep the setting lets it be', () => {
    const deep = `${CONFIG_MAP}data: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`;
    expect(() => parseManifest(deep, 1_000_000)).toThrow('the manifest is nested deeper than 1000000 levels (--max-depth)');
  });

  it('keeps a key that other readers merge by as a key', () => {
    expect(parseManifest(`${CONFIG_MAP}data: {a: &a {x: 1}, b: {<<: *a}}`)).toMatchObject({ data: { b: { '<<': { x: 1 } } } });
  });

  it('stands for too much where aliases stand for aliases, though there are few of them', () => {
    const aliases = (outer: number) =>
      `${CONFIG_MAP}data:\n  x: &x v\n  a: &a [${Array(6).fill('*x').join(', ')}]\n  b: [${Array(outer).fill('*a').join(', ')}]\n`;
    expect(() => parseManifest(aliases(3))).not.toThrow();
    expect(() => parseManifest(aliases(9))).toThrow('the manifest has an alias that cannot be followed');
  });
});

describe('[decision 0017] a text that is read for somebody', () => {
  it('is answered by what was asked: as an object, as values, as an application, or by what is wrong', () => {
    const text = written([component({ image: 'web:1' })]);
    const parsed = JSON.parse(JSON.stringify(parseApplicationText(text))) as unknown;
    expect(answerText({ task: 'parse', text })).toEqual({ kind: 'parsed', json: JSON.stringify(parsed) });
    expect(answerText({ task: 'object', text: 'apiVersion: v1\nkind: A\nmetadata: {name: a}' })).toEqual({
      kind: 'parsed',
      json: '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}',
    });
    expect(answerText({ task: 'values', text: 'a: 1' })).toEqual({ kind: 'parsed', json: '{"a":1}' });
    expect(answerText({ task: 'check', text })).toEqual({ kind: 'checked', problems: [] });
    expect(answerText({ task: 'values', text: 'a: {b: {c: 1}}', deepest: 1 })).toMatchObject({
      kind: 'refused',
      code: 'invalid',
      sentence: expect.stringContaining('deeper than 1 levels'),
    });
    expect(answerText({ task: 'object', text: 'apiVersion: v1\nkind: A\nmetadata: {name: a}\nn: 9007199254740993' })).toMatchObject({
      kind: 'refused',
      details: { field: 'n' },
    });
  });

  it('is an answer or a refusal for whoever asked, and never what another task answers', async () => {
    const over = (run: RunText) => createTextReader(run);
    const answered =
      (answer: object): RunText =>
      async () => ({ kind: 'answered', answer: answer as never });
    const tasks: object[] = [];
    const noting = over(async (_owner, task) => {
      tasks.push(task);
      return { kind: 'answered', answer: task.task === 'check' ? { kind: 'checked', problems: [] } : { kind: 'parsed', json: '{"a":1}' } };
    });
    expect([
      await noting.parse(ANN, 'x'),
      await noting.object(ANN, 'x'),
      await noting.values(ANN, 'x'),
      await noting.check(ANN, 'x'),
    ]).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }, []]);
    expect(tasks).toEqual(['parse', 'object', 'values', 'check'].map((task) => ({ task, text: 'x' })));
    await expect(over(answered({ kind: 'checked', problems: [] })).parse(ANN, 'x')).rejects.toThrow(
      'a parsing thread answered checked, which was not asked for',
    );
    await expect(over(answered({ kind: 'parsed', json: '{}' })).check(ANN, 'x')).rejects.toThrow(
      'a parsing thread answered parsed, which was not asked for',
    );
    const refused = (details: object | undefined) => answered({ kind: 'refused', code: 'invalid', sentence: 'it is wrong', details });
    await expect(over(refused({ field: 'a' })).values(ANN, 'x')).rejects.toMatchObject({
      code: 'invalid',
      message: 'it is wrong',
      details: { field: 'a' },
    });
    expect(
      Object.keys(
        (await over(refused(undefined))
          .values(ANN, 'x')
          .catch((error: AppError) => error.details)) ?? {},
      ),
    ).toEqual([]);
    expect(await over(refused(undefined)).check(ANN, 'x')).toEqual([
      { sentence: 'it is wrong', line: 1, column: 1, endLine: 1, endColumn: 1 },
    ]);
  });
});
