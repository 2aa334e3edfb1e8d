import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { ActTarget, ObjectActDone, ObjectActPlan, ObjectVerb } from '@/lib/contract/object-acts';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { actOnObjects } from '@/server/commands/objects/acts/act-on-objects';
import { deleteUnchanged } from '@/server/commands/objects/acts/delete-unchanged';
import { notAllowedReason } from '@/server/commands/objects/acts/rules';
import { writeAct } from '@/server/commands/objects/acts/write-act';
import type { Cluster } from '@/server/kube';
import { rigOf, stored } from './played-objects';
import { ANN, configMap, refusalOf } from './rig';

const workload = (kind: string, spec: object = {}, apiVersion = 'apps/v1'): KubeObject =>
  stored({ apiVersion, kind, metadata: { name: 'a', namespace: 'shop' }, spec });

const targetOf = ({ apiVersion, kind, metadata: { namespace, name = '', uid = '' } }: KubeObject): ActTarget => ({
  apiVersion,
  kind,
  name,
  uid,
  ...(namespace === undefined ? {} : { ns: namespace }),
});

describe('[issue 14.1] the write of one act', () => {
  const write = (verb: ObjectVerb, replicas?: number) => ({
    verb,
    object: workload('Deployment', { replicas: 3 }),
    replicas,
    reason: 'a try',
    consequences: ['a Pod goes too'],
  });

  it.each<readonly [ObjectVerb, number | undefined, string]>([
    ['restart', undefined, 'restarts Deployment a in shop: a try'],
    ['scale', 5, 'scales Deployment a in shop from 3 to 5 replicas: a try'],
    ['delete', undefined, 'deletes Deployment a in shop: a try'],
  ])('is on record with the object, its uid and what was told: %s', async (verb, replicas, message) => {
    const { deps, recorded } = rigOf([]);
    await writeAct(deps, ANN, write(verb, replicas));
    expect(recorded).toMatchObject([{ action: `object.${verb}`, message, data: { uid: 'uid-a', consequences: ['a Pod goes too'] } }]);
  });

  it.each<readonly [ObjectVerb, number, string, boolean]>([
    ['delete', 409, 'Conflict', true],
    ['delete', 404, 'NotFound', true],
    ['restart', 422, 'Invalid', true],
    ['delete', 422, 'Invalid', false],
    ['delete', 403, 'Forbidden', false],
    ['restart', 500, 'InternalError', false],
  ])('%s that fails with %i %s: what was read is another one now is %s', async (verb, code, reason, isOther) => {
    const { deps, recorded, failing } = rigOf([]);
    failing.write = refusalOf(code, reason);
    const failed: unknown = await writeAct(deps, ANN, write(verb)).catch((error: unknown) => error);
    if (isOther) expect(failed).toMatchObject({ code: 'conflict', cause: failing.write });
    else expect(failed).toBe(failing.write);
    expect(recorded).toEqual([]);
  });
});

describe('[design 14] what is done to an object', () => {
  const object = workload('Deployment', { replicas: 3 });
  const done = async (verb: ObjectVerb) => {
    const { deps, written } = rigOf([object]);
    await writeAct(deps, ANN, { verb, object, replicas: undefined, reason: undefined, consequences: [] });
    return written;
  };

  it('is tried first as it is done then, a deletion of this very object', async () => {
    const options = { propagationPolicy: 'Background' };
    expect(await done('delete')).toEqual([
      { at: expect.anything(), options: { ...options, preconditions: { uid: 'uid-a' }, dryRun: true } },
      { at: expect.anything(), options: { ...options, preconditions: { uid: 'uid-a', resourceVersion: '7' } } },
    ]);
    const patch = { at: expect.anything(), patch: expect.anything() };
    expect(await done('restart')).toEqual([patch, patch]);
  });

  it.each<readonly [string, number, string, KubeObject, number, object]>([
    [
      'once where it is another one by now',
      409,
      'Conflict',
      workload('Deployment', { replicas: 4 }),
      1,
      { code: 'conflict', message: 'other' },
    ],
    ['once where it is refused', 403, 'Forbidden', object, 1, { status: { code: 403 } }],
    ['again where only its version is another', 409, 'Conflict', object, 5, { status: { code: 409 } }],
  ])('is a deletion that is made %s', async (_what, code, reason, found, tries, failure) => {
    const cause = refusalOf(code, reason);
    let made = 0;
    const cluster = {
      delete: async () => {
        made += 1;
        throw cause;
      },
      get: async () => found,
    } as unknown as Cluster;
    const failed: unknown = await deleteUnchanged(cluster, object, { by: ({ spec }) => spec, message: 'other' }).catch((error) => error);
    expect([made, failed]).toMatchObject([tries, failure]);
    expect(failed === cause || (failed as Error).cause === cause).toBe(true);
  });
});

describe('[issue 14.1] acts on several objects', () => {
  const ask = (deps: CommandDeps, targets: readonly ActTarget[], more: object = {}) =>
    actOnObjects(deps, ANN, { verb: 'delete', targets: [...targets], ...more });
  const one = stored(configMap('one'));
  const two = stored(configMap('two'));

  it('tell of each where it is, without a namespace where it has none', async () => {
    const node = stored({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    const { deps } = rigOf([one, node]);
    const { rows } = (await ask(deps, [targetOf(one), targetOf(node)], { dryRun: true })) as ObjectActPlan;
    expect(rows.map(({ id, ns }) => [id, ns])).toEqual([
      ['ConfigMap/default/one', 'default'],
      ['Node//n', null],
    ]);
  });

  it('stand with what is refused first, each group as it was asked for', async () => {
    const { deps } = rigOf([one, two]);
    const gone = (name: string) => targetOf(stored(configMap(name)));
    const targets = [targetOf(one), gone('gone-a'), targetOf(two), gone('gone-b')];
    const { rows, allowed } = (await ask(deps, targets, { dryRun: true })) as ObjectActPlan;
    expect([rows.map(({ name }) => name), allowed]).toEqual([['gone-a', 'gone-b', 'one', 'two'], 2]);
  });

  it('are refused with the reason of the first where none is possible, and where none is asked for', async () => {
    const { deps, written } = rigOf([]);
    await expect(ask(deps, [targetOf(one)])).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('there is no ConfigMap one'),
    });
    await expect(ask(deps, [])).rejects.toMatchObject({ code: 'forbidden', message: 'there is nothing to do' });
    expect(written).toEqual([]);
  });

  it.each<readonly [string, Error]>([
    ['the API server does not answer', refusalOf(500, 'InternalError')],
    ['what is read is out of date', new AppError('stale', 'the watch is gone')],
  ])('fail as a whole where %s, and do nothing', async (_what, failure) => {
    const { deps, failing, written } = rigOf([one]);
    failing.read = failure;
    await expect(ask(deps, [targetOf(one)], { dryRun: true })).rejects.toBe(failure);
    expect(written).toEqual([]);
  });

  it.each<readonly [string, boolean]>([
    ['an application of the object is looked at late', true],
    ['all of them are fresh', false],
  ])('are foretold from fresh copies only: %s', async (_what, isStale) => {
    const stale = { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' };
    const { deps } = rigOf([one], {
      objectReader: {
        applicationsOf: () => [
          { ns: 'default', name: 'fresh' },
          { ns: 'default', name: 'late' },
        ],
      },
      freshness: ({ name }: { name: string }) => ({ stale: isStale && name === 'late' ? stale : null }),
      desiredOf: () => ({ uncompared: 'not listed' }),
    });
    const { rows } = (await ask(deps, [targetOf(one)], { dryRun: true })) as ObjectActPlan;
    if (isStale) expect(rows[0]?.refused).toContain('since the data is from 2026-11-20T09:00:00Z: the watch is gone');
    else expect(rows[0]?.refused).toBeNull();
  });

  it('do nothing of a plan of which one object was refused and is not any more', async () => {
    const refusing = {
      authorise: async (_session: unknown, act: { name?: string }) => {
        if (act.name === 'two') throw new AppError('forbidden', 'ann may not');
        return { visibility: 'all' };
      },
    };
    const { plan } = (await ask(rigOf([one, two], { auth: refusing }).deps, [targetOf(one), targetOf(two)], {
      dryRun: true,
    })) as ObjectActPlan;
    const { deps, written } = rigOf([one, two]);
    await expect(ask(deps, [targetOf(one), targetOf(two)], { plan })).rejects.toMatchObject({ code: 'conflict' });
    expect(written).toEqual([]);
    const { plan: anew } = (await ask(deps, [targetOf(one), targetOf(two)], { dryRun: true })) as ObjectActPlan;
    expect(await ask(deps, [targetOf(one), targetOf(two)], { plan: anew })).toEqual({ done: 2, failed: [] } satisfies ObjectActDone);
  });

  it('scale to nothing other than what was shown', async () => {
    const object = workload('Deployment', { replicas: 3 });
    const { deps, written } = rigOf([object], { cluster: undefined });
    const quiet = { ...rigOf([object]).deps.cluster.as(ANN.person), async *list() {} };
    const over = { ...deps, cluster: { ...quiet, as: () => quiet } } as unknown as CommandDeps;
    const scale = (replicas: number, more: object) =>
      actOnObjects(over, ANN, { verb: 'scale', replicas, targets: [targetOf(object)], ...more });
    const { plan } = (await scale(3, { dryRun: true })) as ObjectActPlan;
    await expect(scale(4, { plan })).rejects.toMatchObject({ code: 'conflict' });
    expect(written).toEqual([]);
  });
});

describe('[issue 14.1] what acts are for', () => {
  it.each<readonly [ObjectVerb, string, string, string | null]>([
    ['restart', 'apps/v1', 'Deployment', null],
    ['restart', 'apps/v1', 'StatefulSet', null],
    ['restart', 'apps/v1', 'DaemonSet', null],
    ['restart', 'apps/v1', 'ReplicaSet', 'A ReplicaSet cannot be restarted'],
    ['restart', 'example.com/v1', 'Deployment', 'A Deployment cannot be restarted'],
    ['scale', 'apps/v1', 'Deployment', null],
    ['scale', 'apps/v1', 'StatefulSet', null],
    ['scale', 'apps/v1', 'ReplicaSet', null],
    ['scale', 'apps/v1', 'DaemonSet', 'The replicas of a DaemonSet cannot be set here'],
    ['scale', 'example.com/v1', 'Deployment', 'The replicas of a Deployment cannot be set here'],
    ['delete', 'v1', 'PersistentVolumeClaim', null],
    ['delete', 'v1', 'PersistentVolume', 'holds data or other objects'],
  ])('%s of %s %s', async (verb, apiVersion, kind, why) => {
    const { deps } = rigOf([]);
    const said = await notAllowedReason(deps, ANN, verb, workload(kind, {}, apiVersion));
    if (why === null) expect(said).toBeNull();
    else expect(said).toContain(why);
  });

  it('asks what an application wants of this very object, and leaves one that writes no number alone', async () => {
    const asked: unknown[] = [];
    const wanting = (spec: object) =>
      rigOf([], {
        objectReader: { applicationsOf: () => [{ ns: 'shop', name: 'web' }] },
        desiredOf: (_place: object, at: object) => {
          asked.push(at);
          return { manifest: { spec }, repair: { when: 'soon', why: '' }, policy: {} };
        },
      }).deps;
    expect(await notAllowedReason(wanting({}), ANN, 'scale', workload('Deployment'))).toBeNull();
    expect(await notAllowedReason(wanting({ replicas: 0 }), ANN, 'scale', workload('Deployment'))).toContain('sets its replicas to 0');
    expect(asked[0]).toStrictEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', namespace: 'shop' });
  });
});
