import { describe, expect, it } from 'vitest';
import { DELETION_PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { actOnGone, finalize } from '@/server/application/act/finalize';
import { readDecision } from '@/server/application/observe/observe';
import { FINALIZER, LABEL } from '@/server/dispatch';
import { ActWorld, application, decision, labels, old, read, resource, there, tracker } from './act-world';
import { configMap, holding, seenAfter } from './seen';

describe('the end of an application', () => {
  const ending = (finalizers: readonly string[] = [FINALIZER.tracker, 'theirs']) =>
    holding([configMap('a')], {}, { finalizers, deletionTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '101' });
  const end = (of: ActWorld, object = ending(), olds = [read(of, old)]) =>
    finalize(of.context(), { kind: 'finalize', olds }, seenAfter([], object, { trackers: olds }));
  const stored = (object = ending()) => {
    const of = new ActWorld(object, old, there('old'), there('shared'));
    return { of, object: of.at(object) ?? object };
  };

  it('[dispatch R4] takes its objects and records, then lets it go, with the finalizers of others left', async () => {
    const { of, object } = stored();
    expect(await end(of, object)).toBeUndefined();
    expect([of.at(there('old')), of.at(there('shared')), of.at(old)]).toEqual([undefined, undefined, undefined]);
    expect(of.at(object)?.metadata.finalizers).toEqual(['theirs']);
    expect(of.record.at(-1)).toMatchObject({ id: 'application.deleted:app', message: 'application web and its objects are deleted' });
    expect(of.record[0]?.message).toBe('2 objects of web-v1-shop will be deleted with the application');
  });

  it('[dispatch R4] leaves its objects where that is asked for', async () => {
    const { of, object } = stored(ending([FINALIZER.tracker, FINALIZER.orphan]));
    await end(of, object);
    expect([of.at(there('old'))?.metadata.name, of.record.at(-1)?.message]).toEqual([
      'old',
      'application web is deleted, and its objects stay',
    ]);
    expect(of.at(there('old'))?.metadata.labels ?? {}, 'nothing tells of it any more').not.toHaveProperty([LABEL.appName]);
  });

  it('[dispatch R4] is nothing of ours where no finalizer of ours is there', async () => {
    const { of, object } = stored(ending(['theirs']));
    expect([await end(of, object), of.writes(), of.record]).toEqual([undefined, [], []]);
    const { finalizers: _none, ...metadata } = object.metadata;
    expect(await end(of, { ...object, metadata })).toBeUndefined();
  });

  it('[issue 10.1] waits for a grant, which an Event tells once, and for copies', async () => {
    const { of, object } = stored();
    of.ungranted = 'grant it';
    expect(await end(of, object)).toBe(30_000);
    expect(of.actions).toEqual(['delete old', 'delete shared']);
    expect([of.events, of.at(there('old'))?.metadata.name]).toEqual([[['NotGranted', 'grant it']], 'old']);
    expect(of.at(object)?.status).toMatchObject({ status: 'deleting' });
    const { of: other, object: same } = stored();
    other.unknown = { againMs: 7, why: 'not listed' };
    expect([await end(other, same), other.writes()]).toEqual([7, ['updateStatus Application/web']]);
    other.unknown = { againMs: 7, why: undefined };
    const { of: quiet, object: third } = stored();
    quiet.unknown = other.unknown;
    expect([await end(quiet, third), quiet.writes()]).toEqual([7, []]);
  });

  it('[dispatch R4] waits for a record that the copies have not told of', async () => {
    const { of, object } = stored();
    of.server.seed(tracker('web-v9-shop', [resource('more')]));
    expect(await end(of, object)).toBe(10_000);
    expect(of.at(object)?.metadata.finalizers).toEqual([FINALIZER.tracker, 'theirs']);
    const { of: beside, object: same } = stored();
    beside.server.seed(tracker('api-v1-shop', [resource('more')], { labels: { ...labels, [LABEL.appName]: 'api' } }));
    expect([await end(beside, same), beside.at(same)?.metadata.finalizers], 'and for none of another').toEqual([undefined, ['theirs']]);
  });

  it('[design 13 G] waits while what goes is not what was seen, and leaves everything', async () => {
    const { annotations: _none, ...metadata } = ending().metadata;
    const { of, object } = stored({ ...ending(), metadata: { ...metadata, annotations: { [DELETION_PLAN]: 'sha256:other' } } });
    expect(await end(of, object)).toBe(10_000);
    expect([of.at(there('old'))?.metadata.name, of.at(object)?.metadata.finalizers]).toEqual(['old', [FINALIZER.tracker, 'theirs']]);
    expect(of.record).toEqual([]);
  });

  it('[dispatch R4] of one that is gone already is on record all the same', async () => {
    const of = new ActWorld();
    expect(await end(of, { ...ending(), metadata: { ...ending().metadata, resourceVersion: '1' } }, [])).toBeUndefined();
    expect(of.record.at(-1)?.action).toBe('application.deleted');
  });
});

describe('what is left of an application that is gone', () => {
  const empty = tracker('web-v1-shop', []);
  const KEY = 'shop/web' as never;
  const gone = (of: ActWorld, removed: readonly KubeObject[], rejected: readonly KubeObject[] = []) =>
    actOnGone(of.context(), KEY, {
      removed,
      rejected: rejected.flatMap(readDecision).map((one) => ({ decision: one, sentence: 'there is no such application' })),
    });

  it('[dispatch R4] goes, each record by its version and with its objects left, on record', async () => {
    const of = new ActWorld(empty, decision('a'));
    const live = of.at(empty) ?? empty;
    await gone(of, [live], [decision('a')]);
    expect([of.at(empty), of.at(decision('a'))?.status]).toMatchObject([
      undefined,
      { phase: 'Rejected', message: 'there is no such application' },
    ]);
    expect(of.deletions).toMatchObject([
      [
        'web-v1-shop',
        { preconditions: { uid: 'web-v1-shop', resourceVersion: live.metadata.resourceVersion }, propagationPolicy: 'Orphan' },
      ],
    ]);
    expect(of.record.at(-1)).toMatchObject({
      id: 'tracker.dropped:web-v1-shop',
      message: 'it listed nothing, and there is no application shop/web',
    });
  });

  it('[dispatch R4] stays where the server has the application, or the record changed meanwhile', async () => {
    const of = new ActWorld(empty, application);
    await gone(of, [of.at(empty) ?? empty]);
    const changed = new ActWorld(empty);
    await gone(changed, [{ ...empty, metadata: { ...empty.metadata, resourceVersion: 'older' } }]);
    expect([of.at(empty)?.metadata.name, changed.at(empty)?.metadata.name, of.record, changed.record]).toEqual([
      'web-v1-shop',
      'web-v1-shop',
      [],
      [],
    ]);
    const idle = new ActWorld();
    await gone(idle, []);
    expect(idle.server.requests).toEqual([]);
  });
});
