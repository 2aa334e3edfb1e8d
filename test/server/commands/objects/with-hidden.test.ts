import { describe, expect, it } from 'vitest';
import { MASK } from '@/lib/kube/mask';
import { withHidden } from '@/server/commands/objects/edit/hidden-values';

const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const NONE_SHOWN = 'masked values where none were shown';
const variable = (name: string, value: unknown) => ({ name, value, sensitive: true });

describe('what somebody wrote, with what was hidden from them', () => {
  it('[issue 10.1] keeps each value whose mask stands where it was shown, and takes what was written elsewhere', () => {
    const live = { ...SECRET, type: 'Opaque', data: { a: 'one', b: 'two' } };
    const shown = { ...live, data: { a: MASK, b: MASK } };
    expect(withHidden(shown, shown, live)).toEqual(live);
    expect(withHidden({ ...shown, data: { a: MASK, b: 'new' } }, shown, live)).toEqual({ ...live, data: { a: 'one', b: 'new' } });
    expect(withHidden({ ...shown, data: { a: MASK, c: 'more' } }, shown, live)).toEqual({ ...live, data: { a: 'one', c: 'more' } });
    expect(withHidden({ ...shown, type: 'other' }, shown, live)).toEqual({ ...live, type: 'other' });
  });

  it.each([
    ['under another key', { ...SECRET, data: { moved: MASK } }],
    ['in another member', { ...SECRET, stringData: { a: MASK } }],
    ['in part of a value', { ...SECRET, data: { a: `x${MASK}` } }],
    ['in a list', { ...SECRET, data: [MASK] }],
    ['as the whole', MASK],
  ])('[issue 10.1] is refused with a mask %s', (_where, written) => {
    const live = { ...SECRET, data: { a: 'one' } };
    expect(() => withHidden(written, { ...SECRET, data: { a: MASK } }, live)).toThrow(NONE_SHOWN);
  });

  it('[issue 10.1] finds entries of a list by their names, which may stand in another order, and others by their places', () => {
    const live = { env: [variable('A', 'one'), variable('B', 'two')] };
    const shown = { env: [variable('A', MASK), variable('B', MASK)] };
    const written = { env: [{ name: 'FIRST', value: 'plain' }, variable('B', MASK), variable('A', MASK)] };
    expect(withHidden(written, shown, live)).toEqual({
      env: [{ name: 'FIRST', value: 'plain' }, variable('B', 'two'), variable('A', 'one')],
    });
    expect(() => withHidden({ env: [variable('C', MASK)] }, shown, live)).toThrow(NONE_SHOWN);
    const [url, dots] = ['https://u:p@a.example', `https://${MASK}@a.example`];
    expect(withHidden({ at: ['b', dots] }, { at: ['a', dots] }, { at: ['a', url] })).toEqual({ at: ['b', url] });
    expect(() => withHidden({ at: [dots] }, { at: ['a', dots] }, { at: ['a', url] })).toThrow(NONE_SHOWN);
    expect(() => withHidden({ at: [dots] }, { at: dots }, { at: url })).toThrow(NONE_SHOWN);
  });

  it('[issue 10.1] leaves members that were not shown as they are, takes those that were written instead, and drops what was shown and is not written', () => {
    const live = { metadata: { name: 'a', managedFields: ['kept'], labels: { tier: 'x' } } };
    const shown = { metadata: { name: 'a', labels: { tier: 'x' } } };
    expect(withHidden({ metadata: { name: 'a' } }, shown, live)).toEqual({ metadata: { name: 'a', managedFields: ['kept'] } });
    expect(withHidden({ metadata: { name: 'a', managedFields: [] } }, shown, live)).toEqual({ metadata: { name: 'a', managedFields: [] } });
    // Of what was not shown at all nothing comes along.
    expect(withHidden({ metadata: { labels: { tier: 'y' } } }, { metadata: { labels: 'none' } }, live)).toEqual({
      metadata: { labels: { tier: 'y' }, name: 'a', managedFields: ['kept'] },
    });
    expect(withHidden({ fresh: { a: 1 } }, {}, { fresh: { b: 2 } })).toEqual({ fresh: { a: 1 } });
    expect(withHidden([1, 'two', null, true], [], [])).toEqual([1, 'two', null, true]);
  });

  it('[issue 10.1] is refused where what is around a kept value would have it shown, with the path and without the value', () => {
    const live = { ...SECRET, data: { a: 'one' } };
    const shown = { ...SECRET, data: { a: MASK } };
    const refused = () => withHidden({ ...shown, kind: 'ConfigMap' }, shown, live);
    expect(refused).toThrow('the manifest would show the value of data.a, which is hidden where it stands now');
    expect(refused).not.toThrow('one');
    const held = { spec: { env: [variable('A', 'one')] } };
    const plain = { spec: { env: [{ ...variable('A', MASK), sensitive: false }] } };
    expect(() => withHidden(plain, { spec: { env: [variable('A', MASK)] } }, held)).toThrow('the value of spec.env.0.value');
    // One that stays hidden beside one that does not.
    const two = { a: { ...SECRET, data: { k: MASK } }, b: { ...SECRET, data: { k: MASK } } };
    const lives = { a: { ...SECRET, data: { k: 'one' } }, b: { ...SECRET, data: { k: 'two' } } };
    expect(() => withHidden({ ...two, b: { ...two.b, kind: 'ConfigMap' } }, two, lives)).toThrow('the value of b.data.k');
    expect(withHidden(two, two, lives)).toEqual(lives);
  });
});
