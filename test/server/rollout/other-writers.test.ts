import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { EngineRig, NS } from './engine-rig';
import { anEntry, aRolloutSpec } from './simulation';

const GATED = { overConsumptionRatio: 50, control: { gates: 'every-stage' } };
const AT = { ...KINDS.rolloutOrchestrator, namespace: NS, name: 'web' };

/** A rollout at the gate after its first stage. */
async function atGate(more: object = {}): Promise<EngineRig> {
  const rig = await new EngineRig().start();
  await rig.deploy('web-v1', 4);
  await rig.deploy('web-v2', 0);
  await rig.roll(aRolloutSpec('web-v1', 'web-v2', 4, { ...GATED, ...more }));
  await rig.clock.advance(20_000);
  expect(rig.control('state')).toBe('boundary');
  return rig;
}

/** Has somebody else write an object right before a request about it arrives, once. Answers whether that came about. */
function meanwhile(
  rig: EngineRig,
  on: { readonly verb: string; readonly kind: string; readonly name: string },
  change: (held: KubeObject) => KubeObject,
) {
  let isDone = false;
  rig.server.onRequest = (verb, at) => {
    const held = rig.server.peek(at);
    if (isDone || verb !== on.verb || at.kind !== on.kind || at.name !== on.name || held === undefined) return;
    isDone = true;
    rig.server.seed(change(held));
  };
  return () => isDone;
}

const phaseOf = (decision: KubeObject | undefined) => readString(decision, 'status', 'phase') ?? 'Pending';

describe('a rollout that others write as well', () => {
  it('[rollout 7.1] deletes the StagePodAutoscaler that it looked at, and no other one of its name', async () => {
    await using rig = await atGate();
    const { metadata, ...held } = rig.get(KINDS.stagePodAutoscaler, 'web-v1') as KubeObject;
    const { uid: _of, ...orphan } = { ...metadata, name: 'web-v0' };
    const isSwapped = meanwhile(rig, { verb: 'delete', kind: 'StagePodAutoscaler', name: 'web-v0' }, (found) => ({
      ...found,
      metadata: { name: 'web-v0', namespace: NS, uid: 'another' },
    }));
    await rig.server.create({ ...held, metadata: orphan });
    await rig.clock.advance(20_000);
    expect([isSwapped(), rig.get(KINDS.stagePodAutoscaler, 'web-v0')?.metadata.uid]).toEqual([true, 'another']);
  });

  it('[rollout 13.1] takes no pod away by counts that are not those of now any more', async () => {
    await using rig = await atGate();
    const counts = { readyReplicas: 2, availableReplicas: 2, replicas: 2 };
    const isMoved = meanwhile(rig, { verb: 'patch', kind: 'Deployment', name: 'web-v1' }, (held) => ({
      ...held,
      status: { ...(held.status as object), ...counts },
    }));
    rig.server.requests.length = 0;
    await rig.decide({ verb: 'approve' });
    await rig.clock.advance(30_000);
    const lowered = rig.server.requests.filter(({ verb, key }) => verb === 'patch' && key.includes('Deployment') && key.includes('web-v1'));
    expect([isMoved(), lowered[0]?.succeeded]).toEqual([true, false]);
    expect([rig.control('state'), rig.replicas('web-v1')]).toEqual(['done', 0]); // by the counts that it saw next
  });

  it('[issue 9.4] turns nobody away by a copy that is behind what they saw', async () => {
    await using rig = await atGate();
    rig.informers.fall('RolloutOrchestrator', 'behind');
    const held = rig.rollout;
    await rig.server.update({ ...held, spec: { ...(held.spec as object), targetRevisions: [anEntry('web-v3', 4)] } });
    const { metadata } = await rig.decide({ verb: 'abort', revision: 'web-v3' });
    await rig.clock.advance(30_000);
    const answer = () => phaseOf(rig.get(KINDS.stageDecision, metadata.name ?? ''));
    expect(answer()).toBe('Pending');
    rig.informers.recover();
    await rig.clock.advance(30_000);
    expect(answer()).toBe('Accepted');
  });

  it('[issue 10.2] refuses the verbs that may not be decided, and those alone', async () => {
    await using rig = await atGate();
    rig.decisionsBlockedReason = 'the admission policies differ';
    rig.blockedVerb = 'approve';
    expect((await rig.decide({ verb: 'approve' })).status).toMatchObject({ phase: 'Rejected', message: 'the admission policies differ' });
    expect(phaseOf(await rig.decide({ verb: 'pause' }))).toBe('Accepted');
  });

  it('[issue 10.3] has what it did on record at last, though the record took it only the third time', async () => {
    await using rig = await atGate();
    let refusals = 2;
    rig.unrecorded = ({ action }) => action === 'rollout.completed' && refusals-- > 0;
    await rig.decide({ verb: 'approve' });
    await rig.clock.advance(600_000);
    expect(rig.control('state')).toBe('done');
    expect([refusals, [...rig.record.values()].filter(({ action }) => action === 'rollout.completed').length]).toEqual([-1, 1]);
  });

  it('[issue 9] lets nobody take a stricter policy back while nothing ties names to people', async () => {
    const asked = async (rig: EngineRig, required: number) => {
      const annotations = { 'slipway.dev/policy-requested-by': 'ada' };
      const ownerReferences = [{ ...KINDS.application, name: 'web', uid: 'app', controller: true }];
      const body = { metadata: { annotations, ownerReferences }, spec: { control: { gates: 'every-stage', approvals: { required } } } };
      await rig.server.patch(AT, { type: 'merge', body });
      await rig.clock.advance(20_000);
    };
    const requiredAfter = async (reason: string | null) => {
      await using rig = await atGate({ control: { gates: 'every-stage', approvals: { required: 2 } } });
      await asked(rig, 9);
      expect(rig.told.approvals.required).toBe(9);
      rig.decisionsBlockedReason = reason;
      rig.blockedVerb = 'loosen';
      await asked(rig, 2);
      return rig.told.approvals.required;
    };
    expect(await requiredAfter('the admission policies differ')).toBe(9);
    expect(await requiredAfter(null)).toBe(2);
  });
});
