import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createCommitsReader } from '@/server/chartsync/describe/reader/commits';
import { CommitGate } from '@/server/chartsync/gate/commit-gate';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ApprovableCommit } from '@/server/chartsync/ports';
import { ChartRenderer } from '@/server/chartsync/preview/chart-renderer';
import type { RequestedCommit } from '@/server/chartsync/preview/charts-of-commits';
import { ReleasePreviews } from '@/server/chartsync/preview/release-previews';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const COMMIT = 'c'.repeat(40);
const OBJECT: KubeObject = {
  ...KINDS.helmRelease,
  metadata: { namespace: 'pay', name: 'web', uid: 'u' },
  spec: { chart: { git: 'https://git.example.com/charts.git', ref: 'main', path: 'charts/web' } },
};
const RESOURCE = readDeclared(OBJECT);
const FACTS: ApprovableCommit = { isOnBranch: true, chart: 'tree', last: undefined, lacks: undefined };
const whole = (asking?: AbortSignal): RequestedCommit => ({ commit: COMMIT, isWhole: true, asking });
const origin = { branch: 'main', chartsPath: 'charts', sources: { mirrorOf: () => ({}) }, log: silentLog };

describe('a commit that somebody may approve', () => {
  it('[issue 12.1] takes a turn of those that render where its dependencies are fetched, and none where they are not', async () => {
    const previews = new ReleasePreviews(new ManualClock());
    const ends: (() => void)[] = [];
    const slow = ({ isWhole }: RequestedCommit) =>
      new Promise<ApprovableCommit>((end) => (isWhole ? ends.push(() => end(FACTS)) : end(FACTS)));
    previews.follow(() => ({ approvable: (_: unknown, asked: RequestedCommit) => slow(asked) }) as never);
    const running = Array.from({ length: 8 }, () => previews.approvable(RESOURCE, whole()));
    expect(ends).toHaveLength(8);
    await expect(previews.approvable(RESOURCE, whole())).rejects.toThrow('8 charts are being rendered for others');
    await expect(previews.plan(RESOURCE)).rejects.toThrow('8 charts are being rendered for others');
    expect(await previews.approvable(RESOURCE, { commit: COMMIT, isWhole: false })).toBe(FACTS);
    for (const end of ends) end();
    await Promise.all(running);
    const next = previews.approvable(RESOURCE, whole());
    ends.at(-1)?.();
    expect(await next).toBe(FACTS);
  });

  it('[issue 12.1] is read for as long as a chart is rendered at most', async () => {
    const clock = new ManualClock();
    const hanging = (_: unknown, __: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const fakes = { ...origin, approvable: hanging, clock, signal: new AbortController().signal };
    const reading = new ChartRenderer(fakes as unknown as ConstructorParameters<typeof ChartRenderer>[0]).approvable(RESOURCE, whole());
    const refused = expect(reading).rejects.toThrow('reading the commit took longer than 120 s');
    await clock.advance(120_000);
    await refused;
  });

  it('[issue 12.1] has its dependencies fetched only while it is on the branch and whoever asks is there', async () => {
    const fetched: string[] = [];
    const read = (isOnBranch: boolean, asking?: AbortSignal) => {
      const mirror = { revision: async () => COMMIT, facts: async () => ({ ...FACTS, isOnBranch }), isGone: () => false };
      const dependenciesOf = async () => void fetched.push('fetched');
      const fakes = { ...origin, sources: { mirrorOf: () => mirror }, dependenciesOf, clock: new ManualClock() };
      const gate = new CommitGate(fakes as unknown as ConstructorParameters<typeof CommitGate>[0]);
      return gate.approvable(RESOURCE, { commit: COMMIT, approved: undefined, asking }, new AbortController().signal);
    };
    expect(await read(false)).toEqual({ ...FACTS, isOnBranch: false });
    await expect(read(true, AbortSignal.abort())).rejects.toThrow('the request for the commit was cancelled');
    expect(fetched).toEqual([]);
    expect(await read(true, new AbortController().signal)).toEqual(FACTS);
    expect(fetched).toEqual(['fetched']);
  });

  it('[issue 12.1] is asked for with its dependencies only where a gate is in force and whoever asks may approve it', async () => {
    const asked: (boolean | AbortSignal | undefined)[] = [];
    const { signal } = new AbortController();
    const read = async (gate: object | undefined, { groups = ['ops'], lacksRight = false }) => {
      const reader = createCommitsReader({
        cluster: { get: async () => OBJECT } as never,
        decisions: { addIndex: () => undefined, byIndex: () => [], get: () => gate && { status: { gate } } } as never,
        previews: {
          commits: async () => Promise.reject(new Error('not asked')),
          approvable: async (_, { isWhole, asking }) => {
            asked.push(isWhole, asking);
            return { ...FACTS, chart: isWhole ? 'tree+dependencies' : 'tree' };
          },
        },
      });
      const actor = { user: 'eve', groups: [...groups] };
      const at = { ...KINDS.helmRelease, namespace: 'pay', name: 'web' };
      const { chart, why } = await reader.approvable(at, { commit: COMMIT, actor, lacksRight, asking: signal });
      return [chart, why?.id];
    };
    const gate = { required: 1, groups: [['ops']], waiting: { commit: COMMIT, chart: 'tree+seen', subject: '', author: '', at: '' } };
    expect(await read(undefined, {})).toEqual([null, 'act.not-gated']);
    expect(asked).toEqual([]);
    expect(await read(gate, { groups: ['dev'] })).toEqual(['tree+seen', 'decided.no-member']);
    expect(await read(gate, { lacksRight: true })).toEqual(['tree+seen', undefined]);
    expect(await read(gate, {})).toEqual(['tree+dependencies', undefined]);
    expect(asked).toEqual([false, signal, false, signal, true, signal]);
  });
});
