import { describe, expect, it } from 'vitest';
import type { Revisions, TargetRevision } from '@/server/rollout/model';
import { retarget, sameTargets } from '@/server/rollout/planning/retarget';

const entry = (revisionName: string, percent?: number, more: Partial<TargetRevision> = {}): TargetRevision => ({
  revisionName,
  percent,
  ...more,
});
const TARGET = entry('b', 100, { minScale: 10, maxScale: 20 });
const FROM = entry('a', 100, { minScale: 10, maxScale: 20 });
const conditions = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' as const }));

describe('another target', () => {
  const stage = [entry('a', 75, { direction: 'down' }), entry('b', 25, { direction: 'up' })];
  const running = { revision: 'b', replicas: 3, availableReplicas: 1 };
  type RetargetGiven = Partial<Parameters<typeof retarget>[0]> & {
    readonly is?: readonly string[];
    readonly reached?: Revisions;
    readonly stage?: Revisions;
  };

  function start({ is = [], reached, stage: under = stage, hasTraffic = true, workloads = [running] }: RetargetGiven = {}) {
    const spec = {
      initialRevisions: [FROM],
      targetRevisions: [TARGET],
      stageTargetRevisions: under,
      targetFinishTime: 'then',
      rolloutStrategy: 'availability',
    };
    const status = { conditions: conditions(...is), ...(reached === undefined ? {} : { stageRevisionStatus: reached }) };
    return retarget({ ro: { spec, status }, ultimateRevisions: [entry('c', 100)], hasTraffic, workloads });
  }

  it('[issue 10.7] begins anew without a stage or a deadline', () => {
    expect(start()).toEqual({
      initialRevisions: [FROM],
      targetRevisions: [entry('c', 100)],
      stageTargetRevisions: undefined,
      targetFinishTime: undefined,
      rolloutStrategy: 'availability',
    });
  });

  const reached = [entry('a', 90), entry('b', 10)];

  it.each<{ readonly what: string; readonly given: RetargetGiven; readonly from: Revisions | undefined }>([
    { what: 'where it began, before any stage was reached', given: {}, from: [FROM] },
    { what: 'nowhere where nothing is served', given: { hasTraffic: false }, from: undefined },
    { what: 'what was reached, once that is through', given: { reached, is: ['StageReady'], hasTraffic: false }, from: reached },
    { what: 'what was reached, once all is ready', given: { reached, is: ['Ready'] }, from: reached },
    { what: 'the stage under way, once the new side has pods', given: { reached }, from: stage },
    {
      what: 'what was reached, while the new side has none',
      given: { reached, workloads: [{ ...running, availableReplicas: 0 }] },
      from: reached,
    },
    {
      what: 'what was reached, while more pods are there than wanted',
      given: { reached, workloads: [{ ...running, availableReplicas: 4 }] },
      from: reached,
    },
    {
      what: 'the stage under way, with all pods of the new side',
      given: { reached, workloads: [{ ...running, availableReplicas: 3 }] },
      from: stage,
    },
    {
      what: 'what was reached, where nobody says how many are wanted',
      given: { reached, workloads: [{ revision: 'b', availableReplicas: 1 }] },
      from: reached,
    },
    {
      what: 'what was reached, where only others have pods',
      given: { reached, workloads: [{ ...running, revision: 'a' }] },
      from: reached,
    },
    { what: 'nowhere where nothing is served in mid-stage', given: { reached, hasTraffic: false }, from: undefined },
    { what: 'nowhere where there is no stage', given: { reached, stage: [] }, from: undefined },
    { what: 'what was reached, where nothing grows', given: { reached, stage: [entry('a', 90, { direction: 'down' })] }, from: reached },
  ])('[issue 10.7] starts from $what', ({ given, from }) => {
    expect(start(given).initialRevisions).toEqual(from);
  });

  it('[issue 10.7] is the same by name and share, in the same order', () => {
    const [a, b] = [entry('a', 40), entry('b', 60)];
    expect(sameTargets([a, b], [{ ...a, tag: 'x' }, b])).toBe(true);
    expect([sameTargets([a, b], [b, a]), sameTargets([a], [a, b]), sameTargets([a, b], [a]), sameTargets([a], [entry('a', 41)])]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([sameTargets([a, b], [a, entry('c', 60)]), sameTargets([a, b], [entry('c', 40), b])]).toEqual([false, false]);
    const spec = { targetRevisions: [a, b], stageTargetRevisions: [b] };
    expect(retarget({ ro: { spec, status: { conditions: [] } }, ultimateRevisions: [a, b], hasTraffic: true, workloads: [] })).toBe(spec);
  });
});
