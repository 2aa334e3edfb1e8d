import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isMadeByRollback, isRolledBackBy, rollbackTarget, rollbackWrite, rolledBackTo } from '@/server/application/rollback/rolled-back';
import { configMap, holding, revisionOf } from './seen';

const FIRST = holding([configMap('a', { a: '1' })]);
const SECOND = holding([configMap('a', { a: '2' })], { 'read-only': { rules: [] } });
const first = revisionOf(FIRST).object;

/** The application as the decision by that uid sets it back. */
function setBack(decision: string): KubeObject {
  const { note } = rollbackWrite(rolledBackTo(SECOND, first), { decision, message: 'back' });
  return note?.(rolledBackTo(SECOND, first)) ?? SECOND;
}

describe('an application that is set back', () => {
  it('[design 5] has the components of the revision, and the policies of now', () => {
    const { spec } = rolledBackTo(SECOND, first);
    const policiesOf = ({ spec: held }: KubeObject) => (held as { readonly policies: unknown }).policies;
    expect(spec).toMatchObject({ components: (FIRST.spec as { readonly components: unknown }).components, policies: policiesOf(SECOND) });
  });

  it.each<[string, KubeObject, string]>([
    ['to what it has', revisionOf(SECOND).object, 'Application web in shop already matches web-v1; there is nothing to roll back'],
    ['to what is no revision', { ...first, ...KINDS.deployment, metadata: { name: 'other' } }, 'other is not a revision of web'],
    [
      'to a revision of a former application of the name',
      revisionOf({ ...FIRST, metadata: { ...FIRST.metadata, uid: 'former' } }).object,
      'web-v1 is not a revision of web',
    ],
  ])('[design 5] is refused %s', (_what, revision, sentence) => {
    expect(() => rolledBackTo(SECOND, revision)).toThrow(sentence);
  });

  it('[design 5] goes to the revision whatever of that number is named, and to none without one', () => {
    expect(['web-v3', 'web-component-v3'].map((name) => rollbackTarget(SECOND, name))).toEqual(['web-v3', 'web-v3']);
    expect(() => rollbackTarget(SECOND, 'newest')).toThrow('rollback must be a revision such as web-v1, found "newest"');
  });

  it('[issue 10.2] tells which decision did it, and no other', () => {
    const back = setBack('one');
    expect(['one', 'on', 'two', ''].map((uid) => isRolledBackBy(back, uid))).toEqual([true, false, false, false]);
    expect([isRolledBackBy(SECOND, 'one'), isRolledBackBy({ ...SECOND, metadata: { name: 'web', annotations: {} } }, 'one')]).toEqual([
      false,
      false,
    ]);
  });

  it('[issue 10.2] makes one revision that a rollback made: of that spec, and the first that has the note', () => {
    const back = setBack('one');
    const noted = (name: string) => ({
      ...revisionOf(FIRST, {}, 3),
      name,
      object: { ...first, metadata: { ...first.metadata, annotations: back.metadata.annotations ?? {} } },
    });
    const [plain, own, former] = [revisionOf(FIRST), noted('web-v3'), noted('web-v2')];
    expect(isMadeByRollback(back, 'web-v3', [plain])).toBe(true);
    expect(isMadeByRollback(back, 'web-v3', [plain, own])).toBe(true);
    expect(isMadeByRollback(back, 'web-v3', [plain, former, own])).toBe(false);
    expect(isMadeByRollback({ ...back, spec: SECOND.spec }, 'web-v3', [plain])).toBe(false);
    expect(isMadeByRollback(SECOND, 'web-v3', [plain])).toBe(false);
    expect(isMadeByRollback({ ...back, metadata: { name: 'web' } }, 'web-v3', [plain])).toBe(false);
    const bare = { ...plain, object: { ...plain.object, metadata: { name: 'web-v1' } } };
    expect(isMadeByRollback(back, 'web-v3', [bare])).toBe(true);
  });

  it('[design 13 K] is on record once, by the decision, and may be tried again', () => {
    expect(rollbackWrite(SECOND, { decision: 'one', message: 'back', plan: 'sha256:seen' })).toMatchObject({
      verb: 'update',
      action: 'application.rollback',
      act: 'application.rollback:one',
      plan: 'sha256:seen',
      isRepeated: true,
    });
  });
});
