import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { OutdatedPlanPanel } from '@/components/releases/edit/moved-plan-panel';
import type { MovedReleasePlan, ReleasePlan } from '@/lib/contract/release-edit';
import { RELEASE_RIGHTS } from '@/lib/contract/release-rows';
import { releaseDetail } from '@/test/support/fixture/releases';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const digest = (sign: string) => `sha256:${sign.repeat(64)}`;
const place = { ns: 'pay', kind: 'helmrelease', name: 'ledger' } as const;
const parts = { chart: 'c', values: 'v', stored: 's', helm: 'h', account: 'a', objects: 'o' };

function plan(over: Partial<ReleasePlan> = {}): ReleasePlan {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ns: 'pay',
    name: 'ledger',
    change: 'changed',
    diff: [{ sign: '+', text: 'replicas: 3' }],
  } as const;
  const content = { values: [], valuesDiffer: false, hidesValues: false, notes: null, nondeterministic: [], left: [] };
  return {
    ...content,
    plan: digest('a'),
    parts,
    from: 4,
    revision: 'ab'.repeat(20),
    objects: [{ ...deployment, diff: [...deployment.diff] }],
    ...over,
  };
}
const config = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ns: 'pay',
  name: 'more',
  change: 'created' as const,
  diff: [{ sign: '+' as const, text: 'a: b' }],
};
const nondeterministic = [{ apiVersion: 'v1', kind: 'Secret', ns: 'pay', name: 'key', paths: ['data.password'] }];
const now = plan({ plan: digest('b'), objects: [...plan().objects, config], nondeterministic });

async function open({ preview = plan(), why = null }: { readonly preview?: ReleasePlan | null; readonly why?: string | null } = {}) {
  const seen = { plan: digest('a'), by: 'ada', at: '2026-11-20T09:00:00.000Z', preview };
  const moved: MovedReleasePlan = { uid: 'u-ledger', generation: 3, seen, now, moved: preview === null ? [] : ['chart', 'objects'] };
  const log = answerFetch({
    [`GET ${RELEASE}/outdated-plan`]: () => Response.json(moved),
    [`GET ${RELEASE}/rights`]: () => Response.json(Object.fromEntries(RELEASE_RIGHTS.map((verb) => [verb, verb === 'edit' ? why : null]))),
    [`POST ${RELEASE}/accept-plan`]: () =>
      Response.json({ accepted: { kind: 'HelmRelease', ns: 'pay', name: 'ledger', uid: 'u-ledger' } }, { status: 202 }),
  });
  const release = { ...releaseDetail(backFrom(SCREEN_NOW)), outdatedPlan: 'It is not what was previewed' };
  await showScreen(<OutdatedPlanPanel release={release} place={place} staleness={null} />);
  const apply = await screen.findByRole('button', { name: 'Apply the current plan' });
  return { log, apply, side: (name: string) => screen.getByRole('region', { name }) };
}

const acceptedIn = ({ sent }: Awaited<ReturnType<typeof open>>['log']) =>
  sent.filter(({ method }) => method === 'POST').map(({ body }) => body);

describe('a change of a release that waits', () => {
  it('[issue 12.4] shows what was previewed beside what it would do now, and what moved; the latter is what is accepted', async () => {
    const { log, apply, side } = await open();
    using answers = log;
    expect(screen.getByText('What changed: the chart and which objects are created or deleted.')).toBeVisible();
    expect(within(side('Previewed')).getByRole('heading', { name: /^Previewed by ada/ })).toBeVisible();
    expect([within(side('Previewed')).queryByText('more'), within(side('Now')).getByText('more')]).toEqual([null, expect.anything()]);
    expect(within(side('Now')).getByRole('region', { name: 'Different each time' })).toHaveTextContent('Secret keydata.password');
    await userEvent.setup().click(apply);
    expect(acceptedIn(answers)).toEqual([{ kind: 'helmrelease', uid: 'u-ledger', generation: 3, plan: digest('b') }]);
  });

  it('[issue 12.4] says so where what was previewed is not kept any more, and is accepted by nobody who may not change it', async () => {
    const { log, apply, side } = await open({ preview: null, why: 'You may not update helmreleases' });
    using answers = log;
    expect(side('Previewed')).toHaveTextContent('No longer kept');
    expect(apply).toHaveAttribute('aria-disabled', 'true');
    await userEvent.setup().click(apply);
    expect(acceptedIn(answers)).toEqual([]);
  });
});
