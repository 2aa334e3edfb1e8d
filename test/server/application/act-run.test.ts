import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { FINALIZER } from '@/server/dispatch';
import { data, of, passes, put, spec } from './act-passes';
import { holding } from './seen';

const KEY = 'shop/web' as ObjectKey;

describe('a pass that applies', () => {
  it('[dispatch R1] writes its finalizer, the revision, the record and the objects, in that order, and says so', async () => {
    const one = passes();
    expect(await one.pass()).toBeUndefined();
    const order = one.world
      .writes()
      .filter((write) => !write.startsWith('dryRun'))
      .map((write) => write.split(' ')[1]);
    const firsts = [...new Set(order)];
    expect(firsts).toEqual(['Application/web', 'ApplicationRevision/web-v1', 'ResourceTracker/web-v1-shop', 'ConfigMap/a', 'ConfigMap/b']);
    expect(one.application.metadata.finalizers).toEqual([FINALIZER.tracker]);
    expect([data(one.world.at(of('a'))), one.condition('Ready').slice(0, 2), one.condition('Applied')[2]]).toEqual([
      { key: '1' },
      ['True', 'Ready'],
      'web-v1 is applied',
    ]);
    expect(one.actions()).toEqual(['revision.created', 'application.dispatched', 'application.completed']);
    expect(one.world.record[1]).toMatchObject({ id: 'application.dispatched:app:web-v1', message: '2 objects of web-v1 are applied' });
  });

  it('[issue 10.7] ends an application that is being deleted, and applies nothing of it', async () => {
    const one = passes(holding([put('a', '1')]));
    await one.pass();
    const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    one.world.server.seed({ ...one.application, metadata: { ...one.application.metadata, ...ending }, spec: spec(put('b', '1')) });
    await one.pass();
    expect([one.world.at(of('a')), one.world.at(of('b')), one.world.at(holding([]))]).toEqual([undefined, undefined, undefined]);
  });

  it('[design 11] writes nothing once it is settled', async () => {
    const one = passes(holding([put('a', '1')], {}, { finalizers: ['theirs'] }));
    await one.pass();
    expect(one.application.metadata.finalizers).toEqual(['theirs', FINALIZER.tracker]);
    expect(one.world.record[1]?.message).toBe('1 object of web-v1 is applied');
    await one.pass();
    const writes = one.world.writes().length;
    const told = one.actions().length;
    await one.pass();
    expect([one.world.writes().length, one.actions().length]).toEqual([writes, told]);
  });

  it('[dispatch G] collects what the next revision does not have, and prunes revisions then', async () => {
    const one = passes();
    await one.pass();
    await one.change({ spec: spec(put('a', '2')) });
    await one.pass();
    expect([data(one.world.at(of('a'))), one.world.at(of('b'))]).toEqual([{ key: '2' }, undefined]);
    expect(one.actions().slice(3)).toEqual(
      expect.arrayContaining(['revision.created', 'application.dispatched', 'garbage.deleted', 'tracker.deleted', 'application.completed']),
    );
    expect(readString(one.application, 'status', 'latestRevision', 'name')).toBe('web-v2');
  });

  it('[dispatch 13] puts back what somebody changed, told once, and pauses where they change it each time', async () => {
    const one = passes(holding([put('a', '1')]));
    await one.pass();
    const spoil = async () => {
      const live = one.world.at(of('a')) as KubeObject;
      await one.world.server.update({ ...live, data: { key: 'theirs' } } as KubeObject);
    };
    await spoil();
    await one.pass();
    expect(data(one.world.at(of('a')))).toEqual({ key: '1' });
    expect(one.world.told().at(-1)).toBe('drift.repaired: ConfigMap a in shop was reverted: data.key (set by an unknown manager)');
    expect(one.world.record.at(-1)).toMatchObject({
      id: expect.stringMatching(/^drift\.repaired:.+:\d+$/),
      about: { kind: 'ConfigMap', name: 'a' },
      data: { fields: [{ path: 'data.key' }] },
    });
    for (let time = 0; time < 5; time++) {
      await spoil();
      await one.pass();
    }
    expect(one.actions().filter((action) => action === 'drift.repaired')).toHaveLength(1);
    expect([one.world.events.map(([reason]) => reason), one.world.logged.length]).toEqual([['RevertedRepeatedly'], 1]);
    expect(one.world.events[0]?.[1]).toContain('. It is changed back each time, so reverts of it now pause for up to 5 minutes');
    await spoil();
    expect(await one.pass()).toBeGreaterThan(0);
    expect(data(one.world.at(of('a'))), 'it waits').toEqual({ key: 'theirs' });
    await one.change({}, { annotations: { [PUT_BACK.asked]: 'ConfigMap/shop/a', [PUT_BACK.user]: 'ada' } });
    await one.pass();
    expect(data(one.world.at(of('a'))), 'a person does not wait').toEqual({ key: '1' });
    await spoil();
    await one.pass();
    expect(data(one.world.at(of('a')))).toEqual({ key: 'theirs' });
    await one.change({ spec: spec(put('a', '2')) });
    await one.pass();
    expect(data(one.world.at(of('a'))), 'nor does a change').toEqual({ key: '2' });
    one.world.now += 61_000;
    await spoil();
    await one.pass();
    expect(one.world.told().at(-1)).toContain('; this happened ');
  });

  it('[issue 10.7] pauses the reverts of that object alone, and looks again when they go on', async () => {
    const one = passes();
    await one.pass();
    const spoil = async (name: string) =>
      one.world.server.update({ ...(one.world.at(of(name)) as KubeObject), data: { key: 'theirs' } } as KubeObject);
    for (let time = 0; time < 6; time++) {
      await spoil('a');
      await one.pass();
    }
    await spoil('a');
    await spoil('b');
    expect(await one.pass()).toBe(5000);
    expect(['a', 'b'].map((name) => data(one.world.at(of(name))))).toEqual([{ key: 'theirs' }, { key: '1' }]);
  });

  it('[dispatch 13] makes what was deleted again', async () => {
    const one = passes(holding([put('a', '1')]));
    await one.pass();
    await one.world.server.delete({ ...of('a'), name: 'a', namespace: 'shop' });
    await one.pass();
    expect([data(one.world.at(of('a'))), one.world.told().at(-1)]).toEqual([
      { key: '1' },
      'drift.repaired: ConfigMap a in shop was missing and was recreated',
    ]);
    for (let time = 0; time < 7; time++) {
      await one.world.server.delete({ ...of('a'), name: 'a', namespace: 'shop' });
      await one.pass();
    }
    expect(one.world.pace.nextMs(KEY, one.world.now as never), 'nobody fights for what is gone').toBeUndefined();
  });

  it('[dispatch 13] leaves what is applied once, but for what somebody asks for', async () => {
    const once = holding([put('a', '1'), put('b', '1')], { 'apply-once': { enable: true } });
    const one = passes(once);
    await one.pass();
    for (const name of ['a', 'b'])
      await one.world.server.update({ ...(one.world.at(of(name)) as KubeObject), data: { key: 'theirs' } } as KubeObject);
    await one.pass();
    expect(data(one.world.at(of('a')))).toEqual({ key: 'theirs' });
    await one.change({}, { annotations: { [PUT_BACK.asked]: 'ConfigMap/shop/a', [PUT_BACK.user]: 'ada' } });
    await one.pass();
    expect(['a', 'b'].map((name) => data(one.world.at(of(name))))).toEqual([{ key: '1' }, { key: 'theirs' }]);
    expect(one.application.metadata.annotations).not.toHaveProperty([PUT_BACK.asked]);
  });

  it('[dispatch 13] brings what is new also where apply-once keeps what is there', async () => {
    const strategy = { path: ['data.key'], affect: 'onStateKeep' };
    const keep = { 'apply-once': { enable: true, rules: [{ selector: { resourceTypes: ['ConfigMap'] }, strategy }] } };
    const one = passes(holding([put('a', '1')], keep));
    await one.pass();
    await one.world.server.update({ ...(one.world.at(of('a')) as KubeObject), data: { key: 'theirs' } } as KubeObject);
    await one.pass();
    expect(data(one.world.at(of('a')))).toEqual({ key: 'theirs' });
    await one.change({ spec: holding([put('a', '2')], keep).spec });
    await one.pass();
    expect(data(one.world.at(of('a')))).toEqual({ key: '2' });
  });

  it('[issue 10.1] does not put back what whoever asks for it may not write', async () => {
    const keep = {
      'apply-once': { enable: true, rules: [{ selector: { resourceTypes: ['ConfigMap'] }, strategy: { path: ['data.key'] } }] },
    };
    const one = passes(holding([put('a', '1')], keep));
    await one.pass();
    await one.world.server.update({ ...(one.world.at(of('a')) as KubeObject), data: { key: 'theirs' } } as KubeObject);
    const ask = () => one.change({}, { annotations: { [PUT_BACK.asked]: 'ConfigMap/shop/a', [PUT_BACK.user]: 'ada' } });
    one.world.mayDo = false;
    await ask();
    await one.pass();
    expect([data(one.world.at(of('a'))), one.actions().at(-1)]).toEqual([{ key: 'theirs' }, 'drift.put-back.refused']);
    one.world.mayDo = true;
    await ask();
    await one.pass();
    expect([data(one.world.at(of('a'))), one.actions()]).toEqual([{ key: '1' }, expect.arrayContaining(['drift.put-back.done'])]);
  });
});
