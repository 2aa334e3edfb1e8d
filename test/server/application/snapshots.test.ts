import { describe, expect, it } from 'vitest';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import { highestNumber, isRevisionOf, readRevision, snapshotOf } from '@/server/application/revision';
import { configMap, holding, revisionOf } from './seen';

const application = holding([configMap('a')], {}, { labels: { team: 'a' }, annotations: { note: 'x' } });

describe('a revision of an application', () => {
  it('[design 12] keeps its words, but for what clients keep there and whole manifests', () => {
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { token: 'YQ==' } });
    const annotations = { note: 'x', [PLAN.seen]: 'sha256:a', 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: manifest };
    const { object } = revisionOf(holding([configMap('a')], {}, { labels: { team: 'a' }, annotations }), { added: 'y' });
    expect(object.metadata).toMatchObject({ labels: { team: 'a', 'app.oam.dev/name': 'web' }, annotations: { note: 'x', added: 'y' } });
    expect(Object.keys(object.metadata.annotations ?? {}).sort()).toEqual(['added', 'note']);
    expect(object.metadata.ownerReferences).toEqual([{ ...KINDS.application, name: 'web', uid: 'app', controller: true }]);
  });

  it('[design 12] is read by its name, without labels as well', () => {
    expect(readRevision({ ...KINDS.applicationRevision, metadata: { name: 'web-v3' } })).toMatchObject({
      name: 'web-v3',
      number: 3,
      hash: '',
    });
    expect(readRevision({ ...KINDS.applicationRevision, metadata: { name: 'web' } })).toBeUndefined();
  });

  it('[design 12] is of the application that owns it, and of no other of the name', () => {
    const owned = (...uids: readonly string[]) => ({
      ...KINDS.applicationRevision,
      metadata: { name: 'web-v1', ownerReferences: uids.map((uid) => ({ ...KINDS.application, name: 'web', uid })) },
    });
    const is = (uid: string | undefined, ...owners: readonly string[]) =>
      isRevisionOf(owned(...owners), { metadata: { name: 'web', ...(uid === undefined ? {} : { uid }) } });
    expect([is('app', 'app'), is('app', 'x', 'app'), is('app', 'x'), is('app'), is(undefined)]).toEqual([true, true, false, false, false]);
    expect(isRevisionOf({ ...KINDS.applicationRevision, metadata: { name: 'web-v1' } }, application)).toBe(false);
  });

  it('[design 12] is read as the application that it is of now, with the words of then', () => {
    const of = (metadata: object) => snapshotOf(revisionOf(application), { metadata: { name: 'web', namespace: 'shop', ...metadata } });
    expect(of({ uid: 'app', generation: 7 })).toMatchObject({
      uid: 'app',
      generation: 7,
      labels: { team: 'a' },
      annotations: { note: 'x' },
    });
    expect(of({}).object.metadata).not.toHaveProperty('uid');
    expect(of({}).object.metadata).not.toHaveProperty('generation');
  });

  it('[design 12] has a number above all that anybody took, of this application', () => {
    const taken = (name: string) => highestNumber(application, [revisionOf(application, {}, 2)], [{ name }]);
    expect([taken('web-v5-shop'), taken('webshop-v9-shop'), taken('other-v9-shop'), taken('web-v1-shop')]).toEqual([5, 2, 2, 2]);
    expect(highestNumber({ ...application, status: { latestRevision: { revision: 8 } } }, [], [])).toBe(8);
    expect(highestNumber(application, [], [])).toBe(0);
  });
});
