import { render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import ErrorInConsole from '@/app/(console)/error';
import Loading from '@/app/(console)/loading';
import NotFoundInConsole from '@/app/(console)/not-found';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { CompareRevisionsScreen } from '@/components/applications/changes/compare-revisions-screen';
import { PreviewScreen } from '@/components/applications/changes/preview-screen';
import { EditorScreen } from '@/components/editor/editor-screen';
import { EngineScreen } from '@/components/engine/engine-screen';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { FluxReleaseScreen } from '@/components/releases/flux/flux-release-screen';
import { FluxSourceScreen } from '@/components/releases/flux/flux-source-screen';
import { FluxSourcesScreen } from '@/components/releases/flux/flux-sources-screen';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { SignInScreen } from '@/components/session/sign-in-screen';
import { CompareScreen } from '@/components/trackers/compare-screen';
import { StraysScreen } from '@/components/trackers/strays-screen';
import { TrackerScreen } from '@/components/trackers/tracker-screen';
import { TrackersScreen } from '@/components/trackers/trackers-screen';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { applicationSchema } from '@/server/commands';
import { APPLICATION, compared, waiting } from '@/test/support/fixture/changes';
import { garbage } from '@/test/support/fixture/trackers';
import type { ScreenOptions } from '@/test/support/screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const answers = {
  'GET /api/v1/namespaces/shop/rollouts/web/rights': () => Response.json(Object.fromEntries(DECISION_VERBS.map((verb) => [verb, null]))),
  'GET /api/v1/trackers/a/compare/b': () => Response.json(garbage()),
  'GET /api/v1/namespaces/shop/applications/storefront/preview': () => Response.json(waiting('full', new URLSearchParams())),
  'GET /api/v1/schemas/application': () => Response.json(applicationSchema()),
  'GET /api/v1/namespaces/shop/applications/storefront/text': () => Response.json({ text: APPLICATION, masked: false, uid: 'aa0f7a52', generation: 4 }),
  'POST /api/v1/applications/check': () => Response.json({ problems: [] }),
  'GET /api/v1/namespaces/shop/applications/storefront/compare': () => Response.json(compared('full', new URLSearchParams({ from: 'v3', to: 'v4' }))),
};

const SCREENS: readonly [string, ReactElement, ScreenOptions, string][] = [
  ['inbox', <InboxScreen key="s" />, { topics: ['inbox'] }, 'Stage 2 of 5 waits for you'],
  ['applications', <ApplicationsScreen key="s" />, { topics: ['applications'] }, 'Applications'],
  ['application', <ApplicationScreen key="s" ns="shop" name="storefront" />, { topics: ['application/shop/storefront'] }, 'Components'],
  ['what waits', <PreviewScreen key="s" ns="shop" name="storefront" />, { topics: ['application/shop/storefront'] }, 'Object by object'],
  [
    'two revisions',
    <CompareRevisionsScreen key="s" ns="shop" name="storefront" from="v3" to="v4" />,
    { topics: ['application/shop/storefront'] },
    'Object by object',
  ],
  ['editor', <EditorScreen key="s" ns="shop" name="storefront" />, { topics: ['application/shop/storefront'] }, 'core.oam.dev/v1beta1'],
  ['rollouts', <RolloutsScreen key="s" />, { topics: ['rollouts'] }, 'Rollouts'],
  ['rollout', <RolloutScreen key="s" ns="shop" name="web" />, { topics: ['rollout/shop/web'] }, 'Why it waits'],
  ['releases', <ReleasesScreen key="s" />, { topics: ['releases'] }, 'Releases'],
  ['release', <ReleaseScreen key="s" place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, { topics: ['release/pay/helmrelease/ledger'] }, 'Status'],
  ['release of Flux', <FluxReleaseScreen key="s" place={{ ns: 'shop', name: 'podinfo' }} />, { topics: ['flux/shop/helmrelease-v2/podinfo'] }, 'History'],
  [
    'source of Flux',
    <FluxSourceScreen key="s" place={{ ns: 'shop', kind: 'helmchart', name: 'shop-podinfo' }} />,
    { topics: ['flux/shop/helmchart/shop-podinfo'] },
    'Last artifact',
  ],
  ['sources', <FluxSourcesScreen key="s" />, { topics: ['flux-sources'] }, 'HelmRepository'],
  ['trackers', <TrackersScreen key="s" />, { topics: ['trackers'] }, 'Trackers'],
  ['strays', <StraysScreen key="s" />, { topics: ['strays'] }, 'Strays'],
  ['tracker', <TrackerScreen key="s" name="storefront-v3-shop" />, { topics: ['tracker/storefront-v3-shop'] }, 'Ledger'],
  ['compare', <CompareScreen key="s" from="a" to="b" />, {}, 'Object by object'],
  ['activity', <ActivityScreen key="s" />, { topics: ['activity'] }, 'Activity'],
  ['engine', <EngineScreen key="s" />, { topics: ['engine'] }, 'Controllers'],
  ['sign-in', <SignInScreen mode="local" key="s" token={null} signedInAs={null} />, {}, 'Sign in to Slipway'],
];

// Colour is judged in a real browser: jsdom computes no styles.
const RULES = { 'color-contrast': { enabled: false }, region: { enabled: false } };

const isBusy = (element: HTMLElement) => element.getAttribute('aria-busy') === 'true';

/** Its headings and the way back from it once it is as expected; what is not seeded is answered as given, or in full. */
async function headOf(element: ReactElement, options: ScreenOptions, expected: () => unknown, answer?: Response | Promise<Response>) {
  using _log = answer === undefined ? answerFetch(answers) : answerFetch({}, async () => (await answer).clone());
  const { close } = await showScreen(element, options);
  await expected();
  const head = {
    headings: screen.getAllByRole('heading', { level: 1 }).map((heading) => heading.textContent),
    trail: screen
      .queryAllByRole('navigation', { name: 'Breadcrumb' })
      .flatMap((trail) => [...trail.querySelectorAll('a')].map((link) => link.getAttribute('href'))),
  };
  close();
  return head;
}

describe('every screen', () => {
  it.each(SCREENS)('[design 9] %s has no accessibility violation', async (_name, element, options, text) => {
    using _log = answerFetch(answers);
    await showScreen(element, options);
    await waitFor(() => expect(screen.getAllByText(text).length).toBeGreaterThan(0));
    const { violations } = await axe.run(document.body, { rules: RULES });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });

  it.each(SCREENS)(
    '[design 9] %s has one heading and the same way back before it is read, and when it cannot be read',
    async (_name, element, options, text) => {
      const whole = await headOf(element, options, async () => expect((await screen.findAllByText(text)).length).toBeGreaterThan(0));
      const reads = _name !== 'sign-in';
      const loading = await headOf(element, {}, () => expect(screen.queryAllByRole('status').some(isBusy)).toBe(reads), new Promise(() => {}));
      const failing = await headOf(
        element,
        {},
        () => waitFor(() => expect(screen.queryAllByRole('alert').length > 0).toBe(reads)),
        Response.json({ error: { code: 'unavailable', message: 'The API server at 10.0.0.1 refused the connection.' } }, { status: 503 }),
      );
      expect(whole.headings).toHaveLength(1);
      for (const { headings, trail } of [loading, failing]) {
        expect(headings).toHaveLength(1);
        expect(whole.headings[0]?.startsWith(headings[0] ?? 'a heading')).toBe(true);
        expect(trail).toEqual(whole.trail);
      }
    },
  );

  it.each([
    ['on its way', <Loading key="s" />],
    ['that failed', <ErrorInConsole key="s" error={new Error('no')} reset={() => {}} />],
    ['that is not there', <NotFoundInConsole key="s" />],
  ])('[design 9] a page %s has one heading', (_name, element) => {
    render(element);
    expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
  });

  it.each([
    ['inbox', <InboxScreen key="s" />, 'inbox', 'Nothing needs you'],
    ['applications', <ApplicationsScreen key="s" />, 'applications', 'No applications yet'],
    ['rollouts', <RolloutsScreen key="s" />, 'rollouts', 'No rollouts yet'],
    ['sources', <FluxSourcesScreen key="s" />, 'flux-sources', 'No sources'],
    ['trackers', <TrackersScreen key="s" />, 'trackers', 'No trackers yet'],
    ['strays', <StraysScreen key="s" />, 'strays', 'No strays'],
    ['activity', <ActivityScreen key="s" />, 'activity', 'Nothing on record yet'],
  ])('[design 9] %s says what would be there when it is empty', async (_name, element, topic, title) => {
    using _log = answerFetch({});
    await showScreen(element, { scene: 'empty', topics: [topic] });
    expect(screen.getByText(title)).toBeInTheDocument();
  });

  it('[design 9] applications show one page of thousands and say how many there are', async () => {
    using _log = answerFetch({});
    await showScreen(<ApplicationsScreen />, { scene: 'many', topics: ['applications'] });
    expect(screen.getByText('1–50 of 3,000 applications')).toBeInTheDocument();
    expect(screen.getAllByRole('row')).toHaveLength(51);
  });
});
