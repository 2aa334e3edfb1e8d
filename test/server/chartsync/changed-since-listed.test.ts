import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { readDeclared, withLatestSpec } from '@/server/chartsync/model/declared';
import { Harness } from '../../cases/chartsync/harness';
import type { Resource, World } from '../../cases/chartsync/world';

const NAMESPACE = 'pay';
const CHART = { templates: [['templates/all.yaml', 'A']] } as const;
const resource = (name: string): Resource => ({
  kind: 'FluxHelmRelease',
  namespace: NAMESPACE,
  name,
  spec: { chartGitPath: 'ledger', values: { replicas: 2 } },
});
/** The first differs from what is stored, so that a pass over both stands in the middle of it. */
const GIVEN: World = {
  git: { commits: [{ id: 'c1', charts: { 'charts/ledger': CHART } }] },
  cluster: {
    namespaces: [NAMESPACE],
    resources: [resource('first'), resource('second')],
    helm: [1, 2].map((replicas, at) => ({
      namespace: NAMESPACE,
      name: at === 0 ? 'pay-first' : 'pay-second',
      revisions: [{ revision: 1, status: 'deployed' as const, chartPath: 'charts/ledger', chart: CHART, values: { replicas } }],
    })),
  },
};

/** A pass that has listed both, and stands at the first. */
async function standing(): Promise<Harness> {
  const harness = new Harness({ given: GIVEN });
  await harness.prepare();
  await harness.play({ do: 'tick', pauseBefore: 'upgrade', background: true });
  return harness;
}

async function go(harness: Harness): Promise<void> {
  await harness.play({ do: 'resume' });
  await harness.finish();
}

const actsOn = ({ actions }: Harness, release: string) =>
  actions.filter((action) => readString(action, 'release') === release && action.do !== 'annotate');

describe('a resource that was changed since the pass listed it', () => {
  it('[R-1B-2] is released as it is when its turn comes, and not once more as it was', async () => {
    const harness = await standing();
    await harness.play({ do: 'resourceUpdated', key: 'pay/second', spec: { chartGitPath: 'ledger', values: { replicas: 6 } } });
    expect(actsOn(harness, 'pay-second').map(({ do: act, values }) => [act, values])).toEqual([
      ['dryRun', { replicas: 6 }],
      ['upgrade', { replicas: 6 }],
    ]);
    await go(harness);
    expect(actsOn(harness, 'pay-second').map(({ do: act, values }) => [act, values])).toEqual([
      ['dryRun', { replicas: 6 }],
      ['upgrade', { replicas: 6 }],
      ['dryRun', { replicas: 6 }],
    ]);
    expect(harness.helm.newest({ namespace: NAMESPACE, name: 'pay-second' })).toMatchObject({ revision: 2, values: { replicas: 6 } });
  });

  it('[R-DEL-1] is not installed again where it is gone', async () => {
    const harness = await standing();
    await harness.play({ do: 'resourceDeleted', key: 'pay/second' });
    await go(harness);
    expect(actsOn(harness, 'pay-second').map(({ do: act }) => act)).toEqual(['uninstall']);
    expect(actsOn(harness, 'pay-first').map(({ do: act }) => act)).toEqual(['dryRun', 'upgrade']);
  });

  it.each(['FluxHelmRelease', 'HelmRelease'] as const)(
    '[issue 12.3] %s is left alone once nothing is to be done for its kind',
    async (kind) => {
      const chart = { git: 'ssh://git@git.example/charts', path: 'charts/ledger' };
      const second = { ...resource('second'), kind, spec: { ...resource('second').spec, chart, releaseName: 'pay-second' } };
      const run = async (stop: (harness: Harness) => void) => {
        const harness = new Harness({ given: { ...GIVEN, cluster: { ...GIVEN.cluster, resources: [resource('first'), second] } } });
        await harness.prepare();
        await harness.play({ do: 'tick', pauseBefore: 'upgrade', background: true });
        stop(harness);
        await harness.play({ do: 'resume' });
        await harness.finish();
        return actsOn(harness, 'pay-second').length;
      };
      expect(await run(({ resources }) => resources.stopped.add(kind))).toBe(0);
      expect(await run(() => undefined)).toBeGreaterThan(0);
    },
  );

  it('[issue 12.1] is judged by the approvals and the account that its annotations ask for now', () => {
    const declared = (annotations: Readonly<Record<string, string>>) =>
      readDeclared({
        ...KINDS.fluxHelmRelease,
        metadata: { namespace: NAMESPACE, name: 'first', uid: 'u', generation: 1, annotations },
        spec: {},
      });
    const listed = declared({ 'slipway.dev/approvals': '2' });
    expect(withLatestSpec(listed, declared({}))?.annotations).toEqual({});
    expect(withLatestSpec(listed, declared({ 'slipway.dev/service-account': 'other' }))?.onBehalfOf.account).toBe('other');
    expect(withLatestSpec(listed, declared({ 'slipway.dev/approvals': '2' }))).toBe(listed);
  });
});
