import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { wakesFor } from '@/server/chartsync/loops/chart-sync';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ReleasePlan } from '@/server/chartsync/plan/release-plan';
import { SeenPlans } from '@/server/chartsync/plan/seen-plans';
import type { NotRun, ReleaseRequest } from '@/server/chartsync/ports';
import { KubeApiError, toPlanText } from '@/server/kube';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';
import { ManualClock } from '../../support/manual-clock';

const SEEN = `sha256:${'a'.repeat(64)}`;
const NOW = `sha256:${'b'.repeat(64)}`;
const spec = { chart: { git: 'https://git.example.com/a', path: 'a' }, values: { replicas: 2 } };

function declared(text = toPlanText(spec, { digest: SEEN, act: 'act' }), generation = 2): KubeObject {
  return { ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'web', uid: 'u', generation, annotations: { [PLAN.seen]: text } }, spec };
}

/** What becomes of a plan whose resource is `live` by the time, and which would do `digest` now. */
async function agree(listed: KubeObject, { live = listed, digest = SEEN, refuses = false }: { live?: KubeObject; digest?: string; refuses?: boolean } = {}) {
  const patches: unknown[] = [];
  const recorded: RecordEntry[] = [];
  const plans = new SeenPlans({
    planner: { plan: async () => ({ digest }) as ReleasePlan }, // no more of it is asked for here
    resources: { read: async () => readDeclared(live) },
    cluster: {
      async patch(_at, patch) {
        patches.push(patch.body);
        if (refuses) throw new KubeApiError({ code: 422, reason: 'Invalid', message: 'a test of the patch failed', details: {} });
        return live;
      },
    },
    record: async (entry) => void recorded.push(entry),
    clock: new ManualClock(),
    signal: new AbortController().signal,
  });
  const kept = await plans.agree(readDeclared(listed), {} as ReleaseRequest); // the planner is given it, and nobody else
  return { kept, patches, recorded: recorded.map(({ action }) => action) };
}

describe('what somebody saw of a change', () => {
  it('[issue 12.4] is taken off the resource before Helm runs, where it is what would be done', async () => {
    const { kept, patches, recorded } = await agree(declared());
    expect(kept).toBeUndefined();
    expect(patches).toEqual([
      [
        { op: 'test', path: '/metadata/generation', value: 2 },
        { op: 'test', path: '/metadata/annotations/slipway.dev~1plan', value: toPlanText(spec, { digest: SEEN, act: 'act' }) },
        { op: 'remove', path: '/metadata/annotations/slipway.dev~1plan' },
      ],
    ]);
    expect(recorded).toEqual(['plan.accepted']);
  });

  it('[issue 12.4] keeps Helm from running where it is not, and stays', async () => {
    const { kept, patches, recorded } = await agree(declared(), { digest: NOW });
    expect(kept).toMatchObject({ outcome: 'plan-moved', seen: SEEN, error: expect.stringContaining('is not what was previewed') });
    expect([patches, recorded]).toEqual([[], ['plan.moved']]);
  });

  it('[issue 12.4] is nothing of another spec, and what is stored by now counts for more than what was listed', async () => {
    expect(await agree(declared(toPlanText({ ...spec, values: {} }, { digest: NOW, act: 'act' })))).toEqual({ kept: undefined, patches: [], recorded: [] });
    expect((await agree(declared(), { live: declared('', 2), digest: NOW })).kept).toBeUndefined();
    expect((await agree(declared('', 2), { live: declared(), digest: NOW })).kept).toMatchObject({ outcome: 'plan-moved' });
    expect((await agree(declared(), { live: declared(undefined, 3) })).kept).toEqual({ outcome: 'dropped' });
    expect(await agree(declared(), { refuses: true })).toMatchObject({ kept: { outcome: 'dropped' }, recorded: [] });
  });

  it('[issue 12.4] wakes the engine where another plan is accepted of the same spec, and not where one is spent', () => {
    const other = declared(toPlanText(spec, { digest: NOW, act: 'act' }));
    const bare = { ...declared(), metadata: { ...declared().metadata, annotations: {} } };
    expect([wakesFor(declared(), other), wakesFor(bare, declared()), wakesFor(declared(), bare), wakesFor(declared(), declared())]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe.each(['FluxHelmRelease', 'HelmRelease'] as const)('a change of a %s that somebody previewed', (kind) => {
  const values = { replicas: 2 };
  const spec = kind === 'HelmRelease' ? { chart: { git: 'repo', ref: 'main', path: 'charts/a' }, values } : { chartGitPath: 'a', values };
  const given: World = {
    git: { commits: [{ id: 'c0', charts: { 'charts/a': { version: '1.0.0' } } }], upstreamHead: 'c0' },
    cluster: { namespaces: ['pay'], resources: [{ kind, namespace: 'pay', name: 'web', spec }], helm: [] },
  };

  /** What Helm is made to do about a new resource, and whose plans are spent as nothing is to be done. */
  async function look(kept: NotRun | undefined) {
    const spent: string[] = [];
    const harness = new Harness({ given }, { plans: { agree: async () => kept, spend: async ({ key }) => void spent.push(key) } });
    await harness.prepare();
    await harness.play({ do: 'resourceAdded', key: 'pay/web' });
    const acts = harness.actions.filter((action) => /install|upgrade/.test(JSON.stringify(action))).length;
    await harness.play({ do: 'tick' });
    return { acts, spent };
  }

  it('[issue 12.4] is released where it is what was seen, and not at all where it is not', async () => {
    expect(await look(undefined)).toEqual({ acts: 1, spent: ['pay/web'] });
    expect(await look({ outcome: 'plan-moved', error: 'moved', seen: SEEN })).toEqual({ acts: 0, spent: [] });
    expect(await look({ outcome: 'dropped' })).toEqual({ acts: 0, spent: [] });
  });
});
