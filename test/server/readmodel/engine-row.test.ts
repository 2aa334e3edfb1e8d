import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineRow } from '@/lib/contract/system-rows';
import { KINDS } from '@/lib/kube/kinds';
import { toIso } from '@/lib/std/instant';
import type { ControllerStats } from '@/server/framework';
import type { Informers } from '@/server/kube';
import { CallStats } from '@/server/kube';
import { ClusterView } from '@/server/readmodel/cluster-view';
import { toEngineRow } from '@/server/readmodel/system/engine-row';
import type { ProcessFacts } from '@/server/readmodel/system/status-row';
import { StatusRules } from '@/server/status';
import type { CustomRuleSettings } from '@/server/status/custom/status-rules';
import { ManualClock } from '@/test/support/manual-clock';
import { FakeStore } from '../framework/fake-store';

const NOTHING: ControllerStats = {
  name: 'rollout',
  kind: KINDS.rolloutOrchestrator.kind,
  depth: 0,
  deferred: 0,
  oldestMs: 0,
  oldestKey: undefined,
  active: 0,
  passes: 0,
  failures: 0,
  passesPerMinute: 0,
  failuresPerMinute: 0,
  tookMs: undefined,
  paused: [],
  waitsFor: [],
  lastError: undefined,
};

const informers: Informers = {
  open: (scope) => ({ store: new FakeStore({ scope }), release: () => undefined, [Symbol.asyncDispose]: async () => undefined }),
  relist: async () => undefined,
  all: () => [],
  [Symbol.asyncDispose]: async () => undefined,
};

function toRow(
  stats: Partial<ControllerStats>,
  { calls, ...more }: { calls?: CallStats } & Pick<ProcessFacts, 'statusRules' | 'charts'> = {},
) {
  const facts = {
    cluster: { kind: 'embedded', name: 'test', version: null } as const,
    engines: () => ({}),
    dropped: () => null,
    findings: () => [],
    startedAt: '2026-01-01T00:00:00Z',
    eventLoop: () => ({ longestMs: 12, longPercent: 0, split: null }),
    leader: () => true,
    controllers: () => [{ ...NOTHING, ...stats }],
    ...(calls ? { calls: () => calls.figures() } : {}),
    ...more,
  };
  return engineRow.parse(toEngineRow(facts, [], new ClusterView(informers, new ManualClock())));
}

describe('engine row', () => {
  it('[status 11.13] tells which rules and policies are on and from which file, an entry that replaces one of the server’s counted once', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-rules-'));
    const file = path.join(folder, 'rules.yaml');
    const clock = new ManualClock();
    const read = async (settings: CustomRuleSettings) => {
      await using rules = await StatusRules.open(settings, clock);
      return toRow({}, { statusRules: { options: rules.options, sources: () => rules.sources() } }).statusRules;
    };
    const bare = await read({});
    expect(bare).toMatchObject({ sources: [], policies: [] });
    await writeFile(file, 'rules:\n  - { kind: water.example.com/Pump, rows: [] }\n  - { kind: networking.k8s.io/Ingress, rows: [] }\n');
    const told = await read({ statusRules: file, statusPolicies: ['await-first-consumer'] });
    await rm(folder, { recursive: true });
    const keys = ['networking.k8s.io/Ingress', 'water.example.com/Pump'];
    expect(told).toEqual({
      house: (bare?.house ?? 0) - 1,
      sources: [{ setting: '--status-rules', place: file, keys, readAt: toIso(clock.now()), fault: null }],
      policies: ['await-first-consumer'],
    });
  });

  it('[issue 4] tells keys of other shards apart from those that wait here', () => {
    expect(toRow({ depth: 2, deferred: 40 }).controllers[0]).toMatchObject({ depth: 2, deferred: 40, aside: 40, oldest: null });
    const { eventLoop, turns } = toRow({});
    expect([eventLoop?.longestMs, turns]).toEqual([12, eventLoop]); // its older name
  });

  it('[framework L4] names what an annotation holds, with its page, twenty at most, and counts the rest', () => {
    const paused = Array.from({ length: 25 }, (_, number) => ({ key: `shop/web-${number}`, annotation: 'cluster.x-k8s.io/paused' }));
    const [controller] = toRow({ paused }).controllers;
    expect(controller?.pausedCount).toBe(25);
    expect(controller?.paused).toHaveLength(20);
    expect(controller?.paused[0]).toEqual({ key: 'shop/web-0', href: '/rollouts/shop/web-0', annotation: 'cluster.x-k8s.io/paused' });
  });

  it.each([
    ['HelmRelease', 'helmrelease'],
    ['HelmRelease.flux.weave.works', 'helmrelease-v1beta1'],
    ['FluxHelmRelease', 'fluxhelmrelease'],
  ])('[issue 12.4] leads from a key of %s to the page of a resource of that kind', (kind, of) => {
    const [controller] = toRow({ kind, oldestKey: 'shop/web', oldestMs: 5 }).controllers;
    expect(controller?.oldest?.href).toBe(`/releases/shop/${of}/web`);
  });

  it('[decision 0193] tells dry runs that were skipped by both names', () => {
    const charts = () => ({ dryRuns: 1, spared: 2, acts: 3, failures: 4, mirrors: [] });
    expect(toRow({}, { charts }).charts).toEqual({ dryRuns: 1, dryRunsSkipped: 2, spared: 2, acts: 3, failures: 4, mirrors: [] });
  });

  it('[design 9] tells the calls to the API server, and nothing of them where nobody counts', () => {
    const calls = new CallStats(new ManualClock());
    calls.answered({ verb: 'list', what: 'list Pods', status: 200, tookMs: 12 });
    expect(toRow({}, { calls }).calls).toMatchObject({ verbs: [{ verb: 'list', ok: 1 }], slowest: { what: 'list Pods', tookMs: 12 } });
    expect(toRow({}).calls).toBeNull();
  });
});
