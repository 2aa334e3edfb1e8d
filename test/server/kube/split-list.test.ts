import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DISPATCH_MANAGER } from '@/lib/kube/applied-lists';
import { splitList } from '@/server/kube/remote/split-list';

interface Cut {
  readonly items: readonly string[];
  readonly envelope: string | undefined;
}

function cut(text: string, omitManagedFields = false): Cut {
  const pieces = splitList(Buffer.from(text), omitManagedFields);
  const items: string[] = [];
  for (let next = pieces.next(); ; next = pieces.next()) {
    if (next.done) return { items, envelope: next.value };
    items.push(next.value);
  }
}

const parsed = ({ items, envelope }: Cut) => ({
  items: items.map((item) => JSON.parse(item) as unknown),
  envelope: JSON.parse(envelope ?? '"none"') as unknown,
});
const expected = (items: readonly unknown[], envelope: object) => ({ items, envelope: { ...envelope, items: [] } });

/** Keys and texts that look like what is searched for, and characters that must be escaped. */
const word = fc.constantFrom('items', 'metadata', 'managedFields', '', '"', '\\', '\\"', '},{', ']', 'ü', '\u2028', '\n', 'name');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const members = fc.dictionary(word, value, { maxKeys: 4, noNullPrototype: true });
const item = fc
  .record({ first: members, metadata: fc.oneof(members, value), rest: members })
  .map(({ first, metadata, rest }) => ({ ...first, metadata, ...rest }));
const list = fc
  .record({ before: members, items: fc.array(fc.oneof(item, value), { maxLength: 5 }), after: members })
  .map(({ before, items, after }) => ({ ...withoutItems(before), items, ...withoutItems(after) }));

const withoutItems = ({ items: _items, ...rest }: Record<string, unknown>) => rest;

function withoutManagedFields(of: unknown): unknown {
  if (typeof of !== 'object' || of === null || Array.isArray(of)) return of;
  const { metadata } = of as { metadata?: unknown };
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return of;
  const { managedFields: _managedFields, ...rest } = metadata as Record<string, unknown>;
  return { ...of, metadata: rest };
}

describe('the text of a list, cut into its items', () => {
  it('[cluster I2] every list is cut into what JSON reads from it as a whole, however it is indented', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 2, '\t'), ({ items, ...envelope }, indent) => {
        expect(parsed(cut(JSON.stringify({ ...envelope, items }, null, indent)))).toEqual(expected(items, envelope));
      }),
    );
  });

  it('[cluster I2] managedFields are left out of the metadata of each item, and nothing else by that name', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 2), ({ items, ...envelope }, indent) => {
        expect(parsed(cut(JSON.stringify({ ...envelope, items }, null, indent), true))).toEqual(
          expected(items.map(withoutManagedFields), envelope),
        );
      }),
    );
  });

  it('managedFields are left out wherever they stand among the metadata', () => {
    for (const metadata of [
      '{"managedFields":[{}]}',
      '{ "managedFields" : [{}] , "name":"a"}',
      '{"name":"a","managedFields":[]}',
      '{"a":1, "managedFields":[{"b":"]"}], "name":"a"}',
    ]) {
      const [text = ''] = cut(`{"items":[{"metadata":${metadata}}]}`, true).items;
      expect(JSON.parse(text)).toEqual(withoutManagedFields({ metadata: JSON.parse(metadata) as unknown }));
      expect(text).not.toContain('managedFields');
    }
  });

  it('managedFields stay where a dispatch wrote, and nowhere else', () => {
    const managed = (manager: string) => ({ metadata: { name: manager, managedFields: [{ manager }] } });
    const items = [managed('somebody'), managed(DISPATCH_MANAGER)];
    expect(cut(JSON.stringify({ items }), true).items.map((text) => JSON.parse(text) as unknown)).toEqual([
      { metadata: { name: 'somebody' } },
      managed(DISPATCH_MANAGER),
    ]);
  });

  it('a text cut off anywhere, or with something behind its end, is no list', () => {
    const text =
      '{"kind":"List","items":[{"metadata":{"name":"a","managedFields":[{}]},"data":{"k":"v\\""}},{}],"metadata":{"resourceVersion":"7"}}';
    for (let end = 0; end < text.length; end++) expect(cut(text.slice(0, end), true).envelope).toBeUndefined();
    expect(cut(`${text} `, true).envelope).toBeDefined();
    expect(cut(`${text}{}`, true).envelope).toBeUndefined();
  });

  it('what has no list of items, or two, or items that no comma parts, is no list', () => {
    for (const text of [
      '{}',
      '[]',
      '{"items":null}',
      '{"items":{}}',
      '{"items":[{}{}]}',
      '{"items":[{},]}',
      '{"items":[],"items":[]}',
      '{"items":[]]}',
      '"items"',
    ])
      expect(cut(text).envelope, text).toBeUndefined();
  });
});
