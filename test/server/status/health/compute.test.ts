import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { compute } from '@/server/status/compute';
import { loadStatusRules } from '@/server/status/custom/status-rules';
import type { ClusterFacts } from '@/server/status/health/kind-facts';
import { statusValidUntil } from '@/server/status/policies';
import { compileRules } from '@/server/status/rules/compile';
import type { StatusRule } from '@/server/status/rules/rule';
import { anObject, condition, NOW } from '../rules/evaluate';

const MINUTE_MS = 60_000;

function aPump(status?: object, spec?: object): KubeObject {
  return anObject('water.example.com/v1', 'Pump', { ...(status ? { status } : {}), ...(spec ? { spec } : {}) });
}

async function health(object: KubeObject, cluster?: ClusterFacts) {
  const { status, message, rule } = compute(object, NOW, { ...(await loadStatusRules()), ...(cluster ? { cluster } : {}) });
  return { status, message, rule };
}

function withRules(rules: readonly StatusRule[], object: KubeObject) {
  return compute(object, NOW, { rules: compileRules(rules), profile: 'health' });
}

describe('the health profile', () => {
  it('[status 1] leaves compute without options as kstatus has it', () => {
    expect(compute(aPump(), NOW)).toEqual({ status: 'Current', message: 'Resource is current', conditions: [] });
    expect(compute(aPump({ phase: 'Failed' }), NOW).status).toBe('Current');
  });

  it('names the rule that told each status', async () => {
    const deployment = anObject('apps/v1', 'Deployment', {});
    expect((await health(deployment)).rule).toBe('kstatus');
    expect((await health(aPump({ phase: 'Failed' }))).rule).toBe('generic: status.phase');
    expect((await health(aPump({ conditions: [condition('Degraded', 'True', 'Dry', 'no water')] }))).rule).toBe(
      'generic: condition Degraded',
    );
    expect((await health(anObject('networking.k8s.io/v1', 'Ingress', {}))).rule).toMatch(
      /^kind rule networking\.k8s\.io\/Ingress row \d+$/,
    );
  });

  it.each([
    ['CreateFailed', 'Failed'],
    ['Error', 'Failed'],
    ['install_error', 'Failed'],
    ['Timed out', 'Failed'],
    ['No errors', 'Current'],
    ['Creating', 'InProgress'],
    ['in progress', 'InProgress'],
    ['NotReady', 'InProgress'],
    ['pending-upgrade', 'InProgress'],
    ['ScalingDown', 'InProgress'],
    ['Down', 'Failed'],
    ['Running', 'Current'],
    ['Serving', 'Current'],
    ['Bound', 'Current'],
    ['This sentence speaks of a failure at length and is no word of any state at all.', 'Current'],
  ])('reads the phase %s as %s', async (phase, status) => {
    expect((await health(aPump({ phase }))).status).toBe(status);
    expect((await health(aPump({ health: { status: phase } }))).status).toBe(status);
  });

  it.each([
    ['a failure that is true', [condition('ReconcileFailed', 'True', 'Dry', 'no water')], 'Failed'],
    ['a failure that is false', [condition('ReconcileFailed', 'False', '', '')], 'Current'],
    ['a wish that is false', [condition('Synced', 'False', 'Waiting', '')], 'InProgress'],
    ['a wish that is false, by a failure', [condition('Synced', 'False', 'ReconcileError', 'no water')], 'Failed'],
    ['a wish that nobody knows of', [condition('Accepted', 'Unknown', '', '')], 'InProgress'],
    ['a wish beside a summary that is true', [condition('Ready', 'True', '', ''), condition('Running', 'False', 'Idle', '')], 'Current'],
    ['a wish whose name begins with what is wished', [condition('ResolvedRefs', 'False', 'InvalidRef', 'no such gate')], 'Failed'],
    ['what is not done, and says that it failed', [condition('NotReady', 'True', 'InvalidPipe', '')], 'Failed'],
    ['a capability that is off', [condition('Upgradeable', 'False', 'Pinned', '')], 'Current'],
    ['what resolves failures', [condition('ErrorsResolved', 'True', '', '')], 'Current'],
  ])('tells of %s', async (_title, conditions, status) => {
    expect((await health(aPump({ conditions }))).status).toBe(status);
    expect((await health(aPump({ ancestors: [{ conditions }] }))).status).toBe(status);
  });

  it.each([
    [{ certificateStatus: 'Provisioning' }, 'InProgress', 'generic: status.certificateStatus'],
    [{ desiredState: 'Failed', lastBackupState: 'Failed' }, 'Current', 'kstatus'],
    [{ errorMessage: 'no water' }, 'Failed', 'generic: status.errorMessage'],
    [{ failureReason: 'Dry', failureMessage: 'no water' }, 'Failed', 'generic: status.failureReason'],
    [{ errorMessage: '', errors: 0 }, 'Current', 'kstatus'],
    [{ healthy: false }, 'Failed', 'generic: status.healthy'],
    [{ ready: false }, 'InProgress', 'generic: status.ready'],
    [{ replicas: 3, readyReplicas: 2 }, 'InProgress', 'generic: replicas'],
    [{ replicas: 3, readyReplicas: 3 }, 'Current', 'kstatus'],
    [{ job: { status: 'pending' } }, 'InProgress', 'generic: status.job'],
    [{ conditions: [], ancestors: [], hash: '' }, 'InProgress', 'generic: no status'],
  ])('tells of the status %j', async (status, told, rule) => {
    expect(await health(aPump(status))).toMatchObject({ status: told, rule });
  });

  it('takes a summary of an older generation for one that is not there yet', async () => {
    const of = (observed: number) =>
      health(
        anObject('water.example.com/v1', 'Pump', { generation: 2, status: { conditions: [condition('Ready', 'True', '', '', observed)] } }),
      );
    expect(await of(1)).toMatchObject({ status: 'InProgress', message: 'Condition Ready speaks of generation 1, the present one is 2' });
    expect((await of(2)).status).toBe('Current');
  });

  it('reads an observed generation that is a text, and takes another text as not told', async () => {
    const observed = (observedGeneration: string) =>
      health(anObject('water.example.com/v1', 'Pump', { generation: 2, status: { observedGeneration } }));
    expect((await observed('1')).status).toBe('InProgress');
    expect((await observed('2')).status).toBe('Current');
    expect((await observed('5f7c')).status).toBe('Current');
  });
});

describe('a custom resource without status', () => {
  const facts = (more: Partial<ClusterFacts>): ClusterFacts => ({ declaresStatus: () => true, statusOfKind: () => undefined, ...more });

  it('is in progress without a cluster to ask', async () => {
    expect(await health(aPump())).toEqual({ status: 'InProgress', message: 'Pump has no status yet', rule: 'generic: no status' });
    expect((await health(anObject('rbac.authorization.k8s.io/v1', 'Role', {}))).status).toBe('Current');
  });

  it('is current where its definition declares no status', async () => {
    expect((await health(aPump(), facts({ declaresStatus: () => false }))).status).toBe('Current');
  });

  it('is current where no object of the kind has one although the oldest is ten minutes old', async () => {
    const since = (oldest: number, anyStatus = false) => facts({ statusOfKind: () => ({ anyStatus, oldest: toInstant(oldest) }) });
    expect((await health(aPump(), since(NOW - 10 * MINUTE_MS))).message).toContain('no controller reports on this kind');
    expect((await health(aPump(), since(NOW - 10 * MINUTE_MS, true))).status).toBe('InProgress');
    const young = since(NOW - 9 * MINUTE_MS);
    expect((await health(aPump(), young)).status).toBe('InProgress');
    expect(statusValidUntil(aPump(), NOW, { profile: 'health', cluster: young })).toBe(NOW + MINUTE_MS);
  });

  it('is current where a rule names the kind as one without', () => {
    expect(withRules([{ kind: '*.example.com/*', statusless: true }], aPump())).toMatchObject({
      status: 'Current',
      message: 'Pump has no status of its own',
    });
    expect(withRules([{ kind: '*.example.com/*', statusless: true }], aPump({ phase: 'Failed' })).status).toBe('Failed');
  });
});

describe('rules of families and of time', () => {
  const told = (kind: string, message = kind): StatusRule => ({ kind, rows: [{ status: 'Current', message }] });
  const KEYS = ['water.example.com/Pump', 'water.example.com/*', '*.example.com/Pump', '*.example.com/*', '*.com/*'];

  it('asks the most specific rule first', () => {
    for (let first = 0; first < KEYS.length; first++) {
      const rules = KEYS.slice(first).map((kind) => told(kind));
      expect(withRules(rules, aPump({})).message).toBe(KEYS[first]);
      expect(withRules([...rules].reverse(), aPump({})).message).toBe(KEYS[first]);
    }
    expect(withRules([told('*.water.example.com/*')], aPump({ phase: 'x' })).message).toBe('Resource is current');
  });

  it('goes on with the family where no row of the kind holds', () => {
    const rules: StatusRule[] = [{ kind: KEYS[0] ?? '', rows: [] }, told('*.example.com/*', 'by family')];
    expect(withRules(rules, aPump({}))).toMatchObject({ message: 'by family', rule: 'family rule *.example.com/* row 1' });
  });

  it('holds a row back until its grace is over, and knows when that is', () => {
    const rows: StatusRule['rows'] = [
      {
        when: [
          { since: '.status.startedAt|.metadata.creationTimestamp', after: '5m' },
          { path: '.status.wet', is: false },
        ],
        status: 'Failed',
        message: 'late',
      },
    ];
    const rules = [{ kind: 'water.example.com/Pump', rows }];
    const started = (ago: number, wet = false) => aPump({ wet, startedAt: new Date(NOW - ago).toISOString() });
    const until = (object: KubeObject) => statusValidUntil(object, NOW, { rules: compileRules(rules) });
    expect(withRules(rules, started(5 * MINUTE_MS)).status).toBe('Failed');
    expect(withRules(rules, started(4 * MINUTE_MS)).status).toBe('Current');
    expect(until(started(4 * MINUTE_MS))).toBe(NOW + MINUTE_MS);
    expect(until(started(5 * MINUTE_MS))).toBeUndefined();
    expect(until(started(4 * MINUTE_MS, true))).toBeUndefined();
    expect(withRules(rules, aPump({ wet: false })).status).toBe('Failed');
  });

  it('holds a condition for its time', () => {
    const when = [{ condition: 'Ready', status: 'False', for: '36h' }] as const;
    const rules: StatusRule[] = [{ kind: 'water.example.com/Pump', rows: [{ when: [...when], status: 'Failed', message: 'too long' }] }];
    const pump = aPump({ conditions: [condition('Ready', 'False', 'Dry', 'no water')] });
    expect(withRules(rules, pump).status).toBe('InProgress');
    expect(statusValidUntil(pump, NOW, { rules: compileRules(rules) })).toBe(NOW + 12 * 60 * MINUTE_MS);
  });

  it('lets a rule pass over what is read before its rows', () => {
    const pump = anObject('water.example.com/v1', 'Pump', {
      generation: 2,
      status: { observedGeneration: 1, conditions: [condition('Stalled', 'True', '', '')] },
    });
    const rule = told('water.example.com/Pump', 'by the row');
    expect(withRules([rule], pump).status).toBe('InProgress');
    expect(withRules([{ ...rule, skip: ['observedGeneration'] }], pump).status).toBe('Failed');
    expect(withRules([{ ...rule, skip: ['observedGeneration', 'standardConditions'] }], pump).message).toBe('by the row');
  });
});
