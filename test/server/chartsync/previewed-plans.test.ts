import { describe, expect, it, vi } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS, PLAN, PLAN_ACCEPTED } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isReconcileTrigger } from '@/server/chartsync/is-reconcile-trigger';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ChartContent, StoredRevision } from '@/server/chartsync/model/release';
import { PreviewedPlans } from '@/server/chartsync/plan/previewed-plans';
import type { ReleasePlan } from '@/server/chartsync/plan/release-plan';
import type { PlanPort, ReleaseRequest, SkippedRun } from '@/server/chartsync/ports';
import { KubeApiError, toPlanText } from '@/server/kube';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';
import { ManualClock } from '../../support/manual-clock';

const SEEN = `sha256:${'a'.repeat(64)}`;
const NOW = `sha256:${'b'.repeat(64)}`;
const TREE = 'chart-tree ours';
const CHART: ChartContent = { metadata: { name: 'web', version: '1.0.0' }, templates: [], files: [], values: {} };
const spec = { chart: { git: 'https://git.example.com/a', path: 'a' }, values: { replicas: 2 } };

function declared(text = toPlanText(spec, { digest: SEEN, act: 'act' }), generation = 2): KubeObject {
  return {
    ...KINDS.helmRelease,
    metadata: { namespace: 'pay', name: 'web', uid: 'u', generation, annotations: { [PLAN.seen]: text } },
    spec,
  };
}

/** A resource on a server, Helm's storage beside it, and the processes that hold it to its plan one after the other. */
class Ground {
  readonly recorded: string[] = [];
  readonly acts: string[] = [];
  readonly stored: Pick<StoredRevision, 'revision' | 'status' | 'values' | 'chart' | 'description'>[] = [
    { revision: 3, status: 'deployed', values: { replicas: 1 }, chart: CHART },
  ];
  object: KubeObject;
  refuses = false;

  constructor(object: KubeObject) {
    this.object = object;
  }

  get annotations() {
    return this.object.metadata.annotations;
  }

  /** One process; what it would do now is `digest`. */
  process(digest: string): PreviewedPlans {
    return new PreviewedPlans({
      planner: { plan: async () => ({ digest, stored: this.stored.at(-1)?.revision ?? null }) as ReleasePlan }, // no more of it is asked for here
      resources: { read: async () => readDeclared(this.object) },
      helm: {
        readHistory: async () => this.stored.map(({ revision }) => ({ revision, status: 'deployed' as const })),
        readRevision: async (_release, wanted) => this.stored.find(({ revision }) => revision === wanted) as StoredRevision, // always one that is there
        dryRun: async ({ values }) => ({ values, chart: CHART, treeDigest: TREE }),
      },
      cluster: { patch: async (_at, { body }) => this.#patch(body as readonly Op[]) }, // a JSON patch
      record: async ({ action }) => void this.recorded.push(action),
      clock: new ManualClock(),
      signal: new AbortController().signal,
    });
  }

  /** Releases it, as Helm does it: what it stores, and how it ends. */
  run(
    digest: string,
    { listed = this.object, act = async () => this.store(spec.values) }: { listed?: KubeObject; act?: () => Promise<void> } = {},
  ) {
    const { onBehalfOf } = readDeclared(listed);
    const request = { release: { namespace: 'pay', name: 'web' }, onBehalfOf, values: spec.values } as unknown as ReleaseRequest; // the planner is given the rest, and nobody else
    return this.process(digest).run(readDeclared(listed), request, async () => {
      this.acts.push(`over ${this.stored.length}`);
      await act();
    });
  }

  store(values: Fields, more: Partial<Pick<StoredRevision, 'chart' | 'status' | 'description'>> = {}): void {
    this.stored.push({ revision: this.stored.length + 3, status: 'pending-upgrade', values, chart: CHART, ...more });
  }

  #patch(ops: readonly Op[]): KubeObject {
    if (this.refuses) throw new KubeApiError({ code: 422, reason: 'Invalid', message: 'a test of the patch failed', details: {} });
    const annotations = { ...this.annotations };
    for (const { op, path, value } of ops) {
      const name = path.split('/').at(-1)?.replace('~1', '/') ?? '';
      if (op === 'test') expect(path.endsWith('generation') ? this.object.metadata.generation : annotations[name]).toBe(value);
      else if (op === 'remove') delete annotations[name];
      else annotations[name] = value as string;
    }
    this.object = { ...this.object, metadata: { ...this.object.metadata, annotations } };
    return this.object;
  }
}

interface Op {
  readonly op: 'test' | 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

const TEXT = toPlanText(spec, { digest: SEEN, act: 'act' });
const NOTED = { [PLAN.seen]: TEXT, [PLAN_ACCEPTED]: `3 ${TEXT}` };
const NEVER = () => new Promise<void>(() => undefined);

describe('what somebody saw of a change', () => {
  it('[issue 12.1] is nothing of what another account would make: the resource is looked at again', async () => {
    const ground = new Ground(declared());
    const { metadata } = ground.object;
    const listed = {
      ...ground.object,
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'slipway.dev/service-account': 'deployer' } },
    };
    expect([await ground.run(SEEN, { listed }), ground.acts, ground.recorded]).toEqual([{ outcome: 'dropped' }, [], []]);
  });

  it('[issue 12.4] is noted as accepted before Helm runs, and taken off the resource once that has ended', async () => {
    const ground = new Ground(declared());
    let meanwhile: unknown;
    const kept = await ground.run(SEEN, {
      act: async () => {
        meanwhile = ground.annotations;
      },
    });
    expect([kept, meanwhile, ground.annotations, ground.recorded]).toEqual([undefined, NOTED, {}, ['plan.accepted']]);
  });

  it('[issue 12.4] keeps Helm from running where it is not what would be done, and stays', async () => {
    const ground = new Ground(declared());
    expect(await ground.run(NOW)).toMatchObject({
      outcome: 'plan-moved',
      seen: SEEN,
      error: expect.stringContaining('is not what was previewed'),
    });
    expect([ground.acts, ground.annotations, ground.recorded]).toEqual([[], { [PLAN.seen]: TEXT }, ['plan.moved']]);
  });

  it('[issue 12.4] is nothing of another spec, and what is stored by now counts for more than what was listed', async () => {
    const other = new Ground(declared(toPlanText({ ...spec, values: {} }, { digest: NOW, act: 'act' })));
    expect([await other.run(SEEN), other.acts.length, other.recorded]).toEqual([undefined, 1, []]);
    expect(await new Ground(declared('', 2)).run(NOW, { listed: declared() })).toBeUndefined();
    expect(await new Ground(declared()).run(NOW, { listed: declared('', 2) })).toMatchObject({ outcome: 'plan-moved' });
    expect(await new Ground(declared(undefined, 3)).run(SEEN, { listed: declared() })).toEqual({ outcome: 'dropped' });
    const changed = new Ground(declared());
    changed.refuses = true;
    expect([await changed.run(SEEN), changed.acts, changed.recorded]).toEqual([{ outcome: 'dropped' }, [], []]);
  });

  it('[issue 12.4] counts after a kill between its acceptance and the start of Helm: what would be done by then is released only where it is that', async () => {
    const killed = async () => {
      const ground = new Ground(declared());
      void ground.run(SEEN, { act: NEVER });
      await vi.waitFor(() => expect(ground.acts).toHaveLength(1));
      expect(ground.annotations).toEqual(NOTED);
      return ground;
    };
    const same = await killed();
    expect([await same.run(SEEN), same.acts.length, same.annotations]).toEqual([undefined, 2, {}]);
    const moved = await killed();
    expect([await moved.run(NOW), moved.acts.length, moved.annotations]).toMatchObject([
      { outcome: 'plan-moved' },
      1,
      { [PLAN.seen]: TEXT },
    ]);
    const others = await killed();
    others.store({ replicas: 9 });
    expect([await others.run(NOW), others.acts.length]).toMatchObject([{ outcome: 'plan-moved' }, 1]);
    const otherChart = await killed();
    otherChart.store(spec.values, { chart: { ...CHART, metadata: { name: 'web', version: '2.0.0' } } });
    expect([await otherChart.run(NOW), otherChart.acts.length]).toMatchObject([{ outcome: 'plan-moved' }, 1]);
    const otherParts = await killed();
    otherParts.store(spec.values, { status: 'deployed', description: 'chart-tree other' });
    expect([await otherParts.run(NOW), otherParts.acts.length]).toMatchObject([{ outcome: 'plan-moved' }, 1]);
  });

  it('[issue 12.4] is not asked about again once Helm has begun, whether a kill or a failure ended that', async () => {
    const ground = new Ground(declared());
    void ground.run(SEEN, {
      act: () => {
        ground.store(spec.values);
        return NEVER();
      },
    });
    await vi.waitFor(() => expect(ground.stored).toHaveLength(2));
    expect([await ground.run(NOW), ground.acts.length, ground.annotations]).toEqual([undefined, 2, {}]);
    const failing = (stores: boolean) => async () => {
      if (stores) failed.store(spec.values);
      throw new Error('timed out');
    };
    const failed = new Ground(declared());
    await expect(failed.run(SEEN, { act: failing(false) })).rejects.toThrow('timed out');
    expect(failed.annotations).toEqual(NOTED);
    await expect(failed.run(SEEN, { act: failing(true) })).rejects.toThrow('timed out');
    expect(failed.annotations).toEqual({});
  });

  it('[issue 12.4] wakes the engine where another plan is accepted of the same spec, and not where one is spent', () => {
    const other = declared(toPlanText(spec, { digest: NOW, act: 'act' }));
    const bare = { ...declared(), metadata: { ...declared().metadata, annotations: {} } };
    expect([
      isReconcileTrigger(declared(), other),
      isReconcileTrigger(bare, declared()),
      isReconcileTrigger(declared(), bare),
      isReconcileTrigger(declared(), declared()),
    ]).toEqual([true, true, false, false]);
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
  async function look(kept: SkippedRun | undefined) {
    const spent: string[] = [];
    const run: PlanPort['run'] = async (_resource, _request, act) => {
      if (kept === undefined) await act();
      return kept;
    };
    const harness = new Harness({ given }, { plans: { run, clearPreviewedPlan: async ({ key }) => void spent.push(key) } });
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
