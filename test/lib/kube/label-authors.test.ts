import { describe, expect, it } from 'vitest';
import { LABELLED_BY, LABELLED_NAMES } from '@/lib/kube/kinds';
import {
  changedLabelsOf,
  hasSeparator,
  readLabelAuthor,
  toLabelAuthorAnnotations,
  UNKNOWN_AUTHOR,
  withLabelAuthors,
} from '@/lib/kube/labels/label-authors';
import type { KubeObject } from '@/lib/kube/object';

type Words = Readonly<Record<string, string>>;
const of = (labels: Words, annotations: Words = {}): KubeObject => ({
  apiVersion: 'core.oam.dev/v1beta1',
  kind: 'Application',
  metadata: { name: 'web', labels, annotations },
});
const person = (user: string, ...groups: readonly string[]) => ({ user, groups });
const namesIn = (object: KubeObject) => object.metadata.annotations?.[LABELLED_NAMES.names]?.split('\n');
const peopleIn = (object: KubeObject) => object.metadata.annotations?.[LABELLED_NAMES.groups]?.split('\n');
/** The next state as a person writes it, with what was noted before or without it. */
const next = (
  held: KubeObject,
  labels: Words,
  by: { readonly user: string; readonly groups: readonly string[] },
  annotations: Words = {},
) => withLabelAuthors(of(labels, annotations), held, by);
const label = (name: string) => ({ member: 'labels', name }) as const;
const many = (from: number, to: number): Words => Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`l${from + at}`, '1']));

describe('notes of who changed labels', () => {
  const made = withLabelAuthors(of({ tier: 'front' }), undefined, person('root', 'admins', 'ops'));

  it('[issue 10.1] name the maker once, each name that was changed later with its person, and their groups', () => {
    expect([namesIn(made), peopleIn(made)]).toEqual([['* root'], ['root\tadmins\tops']]);
    const changed = next(made, { tier: 'back', zone: 'a' }, person('ann', 'qa'), { note: 'x' });
    expect(namesIn(changed)).toEqual(['* root', 'labels/tier ann', 'labels/zone ann', 'annotations/note ann']);
    expect(peopleIn(changed)).toEqual(['root\tadmins\tops', 'ann\tqa']);
    expect(changed.metadata.annotations).toMatchObject({ [LABELLED_BY.user]: 'ann', [LABELLED_BY.groups]: 'qa', note: 'x' });
    const again = next(changed, { zone: 'a' }, person('ben'), {});
    expect(namesIn(again)).toEqual(['* root', 'labels/zone ann', 'labels/tier ben', 'annotations/note ben']);
    const last = next(again, { zone: 'b' }, person('root', 'admins'));
    expect([namesIn(last), peopleIn(last)]).toEqual([
      ['* root', 'labels/tier ben', 'annotations/note ben', 'labels/zone root'],
      ['ben', 'root\tadmins'],
    ]);
  });

  it('[issue 10.1] stay as they are where nobody changes any, and where somebody writes them by hand', () => {
    const forged = next(made, { tier: 'front' }, person('eve'), {
      [LABELLED_NAMES.names]: '* eve',
      [LABELLED_BY.user]: 'eve',
      'slipway.dev/any': 'x',
      'kubectl.kubernetes.io/any': 'x',
    });
    expect([namesIn(forged), peopleIn(forged)]).toEqual([['* root'], ['root\tadmins\tops']]);
    expect(forged.metadata.annotations).toMatchObject({ [LABELLED_BY.user]: 'root', 'slipway.dev/any': 'x' });
    const taken = next(made, { tier: 'back' }, person('eve'), { [LABELLED_NAMES.names]: 'labels/tier root' });
    expect(namesIn(taken)).toEqual(['* root', 'labels/tier eve']);
    const { metadata: _metadata, ...bare } = of({});
    expect(toLabelAuthorAnnotations({ ...bare, metadata: { name: 'web' } }, undefined, person('eve'))).toBeUndefined();
  });

  it('[issue 10.1] begin with whoever changed any last, where names were not noted yet', () => {
    const before = of({ tier: 'front' }, { [LABELLED_BY.user]: 'ann', [LABELLED_BY.groups]: 'qa\nops' });
    expect(readLabelAuthor(before, label('tier'))).toEqual({ user: 'ann', groups: ['qa', 'ops'] });
    const changed = next(before, { tier: 'front', zone: 'a' }, person('ben'));
    expect([namesIn(changed), peopleIn(changed)]).toEqual([
      ['* ann', 'labels/zone ben'],
      ['ann\tqa\tops', 'ben'],
    ]);
    expect(namesIn(next(of({}), { zone: 'a' }, person('ben')))).toEqual(['labels/zone ben']);
  });

  it('[issue 10.1] tell of each name whose it is', () => {
    const changed = next(made, { zone: 'a', 'app.kubernetes.io/name': 'web' }, person('ann b', 'qa'));
    expect(readLabelAuthor(changed, label('zone'))).toEqual({ user: 'ann b', groups: ['qa'] });
    expect(readLabelAuthor(changed, label('tier')), 'who took it away').toEqual({ user: 'ann b', groups: ['qa'] });
    expect(readLabelAuthor(changed, label('app.kubernetes.io/name'))?.user).toBe('ann b');
    expect(readLabelAuthor(changed, { member: 'annotations', name: 'zone' })).toBeUndefined();
    expect(readLabelAuthor(made, label('tier'))).toEqual({ user: 'root', groups: ['admins', 'ops'] });
    expect(readLabelAuthor(made, label('constructor'))).toBeUndefined();
    expect(readLabelAuthor(of({ tier: 'x' }), label('tier'))).toBeUndefined();
    expect(readLabelAuthor(withLabelAuthors(of({ a: '1' }), undefined, person('eve', '', 'qa')), label('a'))).toEqual({
      user: 'eve',
      groups: ['qa'],
    });
  });

  it('[issue 10.1] drop those of names that are gone beyond 256, and say so', () => {
    const held = next(made, many(0, 200), person('ann'));
    expect(namesIn(held)).toHaveLength(202);
    const gone = next(held, { constructor: 'x' }, person('ann'));
    expect([namesIn(gone)?.length, namesIn(gone)?.[0], readLabelAuthor(gone, label('l7'))]).toEqual([
      203,
      '* root',
      { user: 'ann', groups: [] },
    ]);
    const full = next(gone, { constructor: 'x', ...many(200, 260) }, person('ben'));
    expect(namesIn(full)?.slice(0, 4)).toEqual(['-', '* root', 'labels/constructor ann', 'labels/l200 ben']);
    expect(namesIn(full)).toHaveLength(63);
    expect(readLabelAuthor(full, label('l7'))).toBe(UNKNOWN_AUTHOR);
    expect(readLabelAuthor(full, label('l201'))?.user).toBe('ben');
    const later = next(full, { constructor: 'x' }, person('ben'));
    expect(namesIn(later)?.filter((line) => line === '-')).toHaveLength(1);
    expect(readLabelAuthor(later, label('l7'))).toBe(UNKNOWN_AUTHOR);
  });

  it('[issue 10.1] leave out groups that would be read as several, and know such a user', () => {
    expect(peopleIn(withLabelAuthors(of({ a: '1' }), undefined, person('ann', 'a\nb', 'c\td', 'e')))).toEqual(['ann\te']);
    expect(['a\nb', 'a\tb', 'a b'].map(hasSeparator)).toEqual([true, true, false]);
  });

  it('[issue 10.1] are made for any label or annotation, of an application that was not there too, and not for ours', () => {
    const bare: KubeObject = { apiVersion: 'v1', kind: 'Application', metadata: { name: 'web' } };
    expect(changedLabelsOf(undefined, bare)).toEqual([]);
    expect(changedLabelsOf(bare, of({ 'slipway.dev/x': '1' }, { 'kubectl.kubernetes.io/x': '1' }))).toEqual([]);
    expect(changedLabelsOf(of({ a: '1' }), of({}, { a: '1' }))).toEqual([label('a'), { member: 'annotations', name: 'a' }]);
    expect(changedLabelsOf(of({ a: '1' }), of({ a: '2' }))).toEqual([label('a')]);
  });
});
