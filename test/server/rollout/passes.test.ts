import { describe, expect, it } from 'vitest';
import { readConditions } from '@/lib/kube/condition';
import { readField, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { EngineDeps } from '@/server/framework';
import { isTerminal } from '@/server/framework';
import { PassRig } from './pass-rig';
import { anEntry, aRolloutSpec } from './simulation';

const GATED = aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 25, control: { gates: 'every-stage' } });
const OWNED = { ownerReferences: [{ ...KINDS.application, name: 'web', uid: 'app', controller: true }] };
const isWrite = ({ verb }: { readonly verb: string }) => verb !== 'get' && verb !== 'list';
const counts = (rig: PassRig) => [rig.replicas('web-v1'), rig.replicas('web-v2')];
/** What was written since. */
const written = (rig: PassRig, since: number) =>
  rig.server.requests.slice(since).flatMap((one) => (isWrite(one) ? `${one.verb} ${one.kind}` : []));

describe('[issue 10.3] a pass while the record cannot be written', () => {
  const state = { now: 'open' as 'open' | 'waiting' | 'full' };
  const deps: Partial<EngineDeps> = { recordState: async () => state.now };
  async function rigIn(now: typeof state.now): Promise<PassRig> {
    state.now = 'open';
    const rig = await new PassRig(deps).settle();
    state.now = now;
    return rig;
  }

  it('counts what stops alone, and looks again at the others', async () => {
    const rig = await rigIn('waiting');
    const [approved, paused] = [rig.decide('approve'), rig.decide('pause')];
    expect(await rig.pass()).toBe(5000);
    expect([approved(), paused()]).toEqual(['Pending', expect.stringMatching(/^Accepted/)]);
    state.now = 'open';
    await rig.settle();
    expect(approved()).toMatch(/^Rejected no gate is waiting for approval: paused by a person/);
  });

  it('does nothing where nothing more can wait for the record, but for what stops, and for going back', async () => {
    const rig = await rigIn('full');
    const approved = rig.decide('approve');
    const since = rig.server.requests.length;
    expect([await rig.pass(), written(rig, since), approved()]).toEqual([5000, [], 'Pending']);
    const fresh = new PassRig(deps);
    expect([await fresh.pass(), written(fresh, 0)]).toEqual([5000, []]);
    const aborted = rig.decide('abort');
    await rig.settle();
    expect([aborted(), rig.control('state'), counts(rig)]).toEqual([expect.stringMatching(/^Accepted/), 'aborted', [4, 0]]);
  });

  it('looks again at the soonest that something is to be seen, and where nothing is not at all', async () => {
    state.now = 'open';
    const gated = await new PassRig(deps).settle();
    expect(await gated.pass()).toBe('settled');
    const timed = await new PassRig(deps, { ...GATED, control: { gates: 'every-stage', pause: { duration: 600 } } }).settle();
    expect(await timed.pass()).toBeGreaterThan(60_000);
    state.now = 'waiting';
    timed.decide('approve');
    expect(await timed.pass()).toBe(5000);
  });

  it('does all of it where it can', async () => {
    const rig = await rigIn('open');
    const approved = rig.decide('approve');
    await rig.settle();
    expect([approved(), counts(rig)]).toEqual([expect.stringMatching(/^Accepted/), [2, 2]]);
  });
});

describe('[issue 9.3] a pass over a rollout whose policy is lost', () => {
  const WHY = 'the definition does not know it';
  const drops = { isRead: true };
  const deps: Partial<EngineDeps> = {
    dropped: (_kind, field) => (field === 'spec.control' ? WHY : null),
    isDefinitionRead: (kind) => drops.isRead && kind === 'RolloutOrchestrator',
  };
  const noted = (rig: PassRig) => readField(rig.rollout, 'status', 'annotations', 'slipway.dev/policy-lost');

  it('moves nothing, has the rollout remember that, and looks again in ten seconds', async () => {
    const rig = new PassRig(deps);
    expect([await rig.pass(), noted(rig), counts(rig), rig.control()]).toEqual([10_000, '1', [4, 0], undefined]);
  });

  it('has nothing remembered where nobody knows what the definition drops', async () => {
    drops.isRead = false;
    const rig = new PassRig(deps);
    expect([await rig.pass(), noted(rig), counts(rig)]).toEqual([10_000, undefined, [4, 0]]);
    const { isDefinitionRead: _unread, ...unknown } = deps;
    const other = new PassRig(unknown);
    expect([await other.pass(), noted(other)]).toEqual([10_000, undefined]);
    drops.isRead = true;
  });

  it('is no failure where the rollout was written meanwhile', async () => {
    const rig = new PassRig(deps);
    rig.server.addFaults([{ verb: 'updateStatus', kind: 'RolloutOrchestrator', code: 409, times: 1 }]);
    expect(await rig.pass()).toBe(10_000);
    rig.server.addFaults([{ verb: 'updateStatus', kind: 'RolloutOrchestrator', code: 500, times: 1 }]);
    expect(await rig.pass()).toBeInstanceOf(Error);
  });

  it('goes on where the policy is kept', async () => {
    const rig = await new PassRig({ dropped: () => null }).settle();
    expect(counts(rig)).toEqual([3, 1]);
  });
});

describe('[issue 10.2] decisions that a pass finds', () => {
  it('are refused by their verbs while these are blocked, and by no other', async () => {
    const rig = new PassRig({ decisionsBlockedReason: (verb) => (verb === 'approve' ? 'the policies differ' : null) });
    await rig.settle();
    const [approved, paused] = [rig.decide('approve'), rig.decide('pause')];
    await rig.pass();
    expect([approved(), paused()]).toEqual(['Rejected the policies differ', expect.stringMatching(/^Accepted/)]);
  });

  it('are turned away by what is there, and not by a copy that is behind', async () => {
    const rig = await new PassRig().settle();
    const [said, paused] = [rig.decide('approve', { revision: 'web-v9' }), rig.decide('pause')];
    rig.informers.fall('RolloutOrchestrator', 'behind');
    await rig.change(KINDS.rolloutOrchestrator, 'web', ({ metadata }) => ({ metadata: { ...metadata, annotations: { 'a.b/c': 'd' } } }));
    const since = rig.server.requests.length;
    expect([await rig.pass(), said(), paused(), written(rig, since)]).toEqual([250, 'Pending', 'Pending', []]);
    rig.informers.recover();
    await rig.pass();
    expect([said(), paused()]).toEqual([expect.stringMatching(/^Rejected/), expect.stringMatching(/^Accepted/)]);
  });

  it('move nothing that another rollout has, or that whoever wrote the rollout may not move', async () => {
    const rig = new PassRig({}, GATED, { annotations: { 'slipway.dev/requested-by': 'ann' } });
    rig.forbids = true;
    await rig.settle();
    expect([rig.asked > 0, counts(rig), rig.control('phase')]).toEqual([true, [4, 0], 'Degraded']);
    rig.forbids = false;
    await rig.clock.advance(60_000);
    await rig.settle();
    expect(counts(rig)).toEqual([3, 1]);
    const owned = new PassRig({}, GATED, { ...OWNED, annotations: { 'slipway.dev/requested-by': 'ann' } });
    owned.forbids = true;
    await owned.settle();
    expect([owned.asked, counts(owned)]).toEqual([0, [3, 1]]);
  });
});

describe('[issue 10.1] a pass that may not scale', () => {
  it('goes on though no Event of it can be written', async () => {
    const rig = new PassRig();
    rig.ungranted = 'the server may not scale in shop';
    rig.takesEvents = false;
    expect([await rig.pass(), rig.events]).toEqual([30_000, []]);
    expect(rig.actions).toContainEqual(expect.objectContaining({ verbs: ['patch'], subresource: 'scale' }));
  });

  it('tells so by an Event once, and moves nothing', async () => {
    const rig = new PassRig();
    rig.ungranted = 'the server may not scale in shop';
    expect([await rig.pass(), rig.events, counts(rig)]).toEqual([30_000, ['Warning NotGranted: the server may not scale in shop'], [4, 0]]);
    await rig.pass();
    expect(rig.events).toHaveLength(1);
    expect(readConditions(rig.rollout).map(({ type }) => type)).toContain('Granted');
    rig.ungranted = undefined;
    await rig.settle();
    expect([rig.events.length, counts(rig)]).toEqual([1, [3, 1]]);
  });
});

describe('[rollout 13.2] a pass after somebody scaled', () => {
  it('puts it back with who did it, and tells it once', async () => {
    const rig = await new PassRig().settle();
    rig.deploy('web-v1', 7);
    await rig.settle();
    const told = () => rig.lines.filter((line) => line.includes('was scaled'));
    expect([counts(rig), told()]).toEqual([[3, 1], [expect.stringContaining('web-v1 was scaled from 3 to 7 by')]]);
    await rig.settle();
    expect(told()).toHaveLength(1);
  });

  it('does so in the next pass where its own write lost against another', async () => {
    const rig = await new PassRig().settle();
    rig.deploy('web-v1', 7);
    rig.server.addFaults([{ verb: 'patch', kind: 'Deployment', code: 409, times: 1 }]);
    expect(await rig.pass()).toBe(250);
    await rig.settle();
    expect([counts(rig), rig.lines.filter((line) => line.includes('was scaled'))]).toEqual([
      [3, 1],
      [expect.stringContaining('from 3 to 7')],
    ]);
  });
});

describe('[issue 9] a pass that fails', () => {
  it('is told on the rollout and thrown, and no more once one succeeds', async () => {
    const rig = new PassRig();
    rig.server.addFaults([{ verb: 'create', kind: 'StagePodAutoscaler', code: 500, times: 1 }]);
    expect(await rig.pass()).toBeInstanceOf(Error);
    const types = () => readConditions(rig.rollout).map(({ type }) => type);
    expect(types()).toContain('Reconciled');
    await rig.settle();
    expect([types().includes('Reconciled'), counts(rig)]).toEqual([false, [3, 1]]);
  });

  it('is thrown as it is where it cannot be told', async () => {
    const rig = await new PassRig().settle();
    rig.decide('approve');
    for (const verb of ['update', 'updateStatus'] as const)
      rig.server.addFaults([{ verb, kind: 'RolloutOrchestrator', code: 500, times: 9 }]);
    const failed = await rig.pass();
    expect([failed, rig.debug.length]).toEqual([expect.any(Error), 1]);
    rig.server.clearFaults();
    rig.server.addFaults([{ verb: 'update', kind: 'RolloutOrchestrator', code: 409, times: 1 }]);
    expect(await rig.pass()).toBe(250);
  });

  it('is one that a person has to mend where the rollout cannot be read, after that was told', async () => {
    const rig = new PassRig({}, { ...GATED, control: { gates: 'sometimes' } });
    const failed = await rig.pass();
    expect([isTerminal(failed), counts(rig), rig.control('phase')]).toEqual([true, [4, 0], 'Degraded']);
    expect((failed as Error).message).toContain('spec.control.gates');
  });
});

describe('[design 13 J] what a rollout tells of itself', () => {
  it('is on record once, with every attempt that is over and without decisions, which are recorded where they are answered', async () => {
    const rig = await new PassRig().settle();
    rig.decide('approve');
    await rig.settle();
    rig.decide('approve', { stage: 2 });
    await rig.pass();
    rig.decide('abort', { stage: undefined });
    await rig.settle();
    const endedBefore = rig.clock.now();
    await rig.clock.advance(3_600_000);
    rig.decide('retry', { stage: undefined });
    await rig.settle();
    expect(new Set(rig.recorded.map(({ id }) => id)).size).toBe(rig.recorded.length);
    expect(rig.lines.filter((line) => line.includes('decision.'))).toEqual([]);
    expect(rig.recorded.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['rollout.started', 'stage.completed', 'rollout.reverted']),
    );
    rig.deploy('web-v3', 0);
    await rig.change(KINDS.rolloutOrchestrator, 'web', ({ spec }) => ({
      spec: { ...(spec as object), targetRevisions: [anEntry('web-v3', 4)] },
    }));
    await rig.settle();
    const attempts = rig.recorded.filter(({ action }) => action === 'rollout.attempt');
    expect(attempts.map(({ message }) => message)).toEqual([
      'the attempt to reach web-v2 was aborted after 2 stages',
      'the attempt to reach web-v2 was superseded after 1 stage',
    ]);
    expect(attempts[0]?.at).toBeLessThanOrEqual(endedBefore);
    expect(attempts[0]).toMatchObject({
      id: expect.stringMatching(/\/attempt$/),
      actor: 'slipway',
      about: { kind: 'RolloutOrchestrator', namespace: 'shop', name: 'web' },
      data: { kind: 'rollout', to: 'web-v2' },
    });
  });

  it('says nothing of its start where an application does', async () => {
    const rig = await new PassRig({}, GATED, OWNED).settle();
    expect(rig.recorded.map(({ action }) => action)).toEqual(['stage.completed']);
  });

  it('is of now where nobody can read when it was', async () => {
    const rig = await new PassRig().settle();
    const status = readFields(rig.rollout, 'status');
    const history = [{ id: 'h-9', at: 'some day', actor: 'ann', action: 'x.y', message: 'told' }];
    rig.server.seed({ ...rig.rollout, status: { ...status, control: { ...readFields(status, 'control'), history } } });
    await rig.pass();
    expect(rig.recorded.find(({ id }) => id === 'h-9')).toMatchObject({ at: rig.clock.now(), actor: 'ann', message: 'told' });
  });
});

describe('[issue 9.3] a rollout that is gone', () => {
  it('is watched and remembered no more', async () => {
    const rig = await new PassRig().settle();
    expect(rig.watched.at(-1)).toMatchObject([[{ name: 'web-v1' }, { name: 'web-v2' }], 'web-v1,web-v2']);
    await rig.server.delete({ ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' });
    expect([await rig.pass(), rig.watched.at(-1), rig.forgotten]).toEqual(['settled', [[], ''], ['shop/web']]);
    rig.deploy('web-v1', 9);
    rig.server.seed({
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop', uid: 'ro-2', generation: 1 },
      spec: GATED,
    });
    await rig.pass();
    expect(rig.lines.filter((line) => line.includes('was scaled'))).toEqual([]);
  });
});

describe('[rollout 14.3] a pass that ends a stage', () => {
  it('goes on at once where its copy shows that, so that the next stage begins in the same turn', async () => {
    const rig = new PassRig({}, aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'none' } }));
    let turns = 0;
    while (rig.control('state') !== 'done' && turns < 30) {
      turns++;
      await rig.pass();
      for (const name of ['web-v1', 'web-v2']) rig.deploy(name, rig.replicas(name) ?? 0);
    }
    expect([rig.control('state'), counts(rig), rig.control('stage')]).toEqual(['done', [0, 4], 2]);
    expect(turns).toBeLessThanOrEqual(5);
  });

  it('[issue 10.7] fails where what it tells cannot be recorded, also where the next stage has to wait for another write', async () => {
    const unwritten = { verb: 'updateStatus', kind: 'RolloutOrchestrator', code: 409, times: 9 } as const;
    const rig: PassRig = new PassRig(
      {
        record: async ({ action }) => {
          if (action !== 'stage.completed') return;
          for (const verb of ['update', 'updateStatus'] as const) rig.server.addFaults([{ ...unwritten, verb }]);
          throw new Error('the store is away');
        },
      },
      aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'none' } }),
    );
    let came: unknown;
    for (let turn = 0; turn < 30 && !(came instanceof Error); turn++) {
      came = await rig.pass();
      for (const name of ['web-v1', 'web-v2']) rig.deploy(name, rig.replicas(name) ?? 0);
    }
    expect([came, rig.control('state')]).toEqual([new Error('the store is away'), 'boundary']);
  });
});
