import type { ReactElement } from 'react';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { CompareRevisionsScreen } from '@/components/applications/changes/compare-revisions-screen';
import { PreviewScreen } from '@/components/applications/changes/preview-screen';
import { EditorScreen } from '@/components/editor/editor-screen';
import { EngineScreen } from '@/components/engine/engine-screen';
import { HistoryScreen } from '@/components/history/history-screen';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { KindsScreen } from '@/components/objects/kinds-screen';
import { ObjectScreen } from '@/components/objects/object-screen';
import { TableScreen } from '@/components/objects/table-screen';
import { FluxReleaseScreen } from '@/components/releases/flux/flux-release-screen';
import { FluxSourceScreen } from '@/components/releases/flux/flux-source-screen';
import { FluxSourcesScreen } from '@/components/releases/flux/flux-sources-screen';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { ReleasesScreen } from '@/components/releases/releases-screen';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { SignInScreen } from '@/components/session/sign-in-screen';
import { CompareScreen } from '@/components/trackers/compare-screen';
import { LedgerScreen } from '@/components/trackers/matrix/ledger-screen';
import { StraysScreen } from '@/components/trackers/strays-screen';
import { TrackerScreen } from '@/components/trackers/tracker-screen';
import { TrackersScreen } from '@/components/trackers/trackers-screen';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { applicationSchema } from '@/server/commands';
import { APPLICATION, compared, waiting } from '@/test/support/fixture/changes';
import { historyIn } from '@/test/support/fixture/history';
import { POD_CLOSE_UP, POD_KIND, POD_PAGE, POD_TABLE } from '@/test/support/fixture/objects';
import { garbage } from '@/test/support/fixture/trackers';
import type { ScreenOptions } from '@/test/support/screen';

/** What the server answers to screens that read more than their topics. */
export const SCREEN_ANSWERS = {
  'GET /api/v1/namespaces/shop/rollouts/web/rights': () => Response.json(Object.fromEntries(DECISION_VERBS.map((verb) => [verb, null]))),
  'GET /api/v1/rollouts/history': () => Response.json(historyIn('full', {})),
  'GET /api/v1/trackers/a/compare/b': () => Response.json(garbage()),
  'GET /api/v1/namespaces/shop/applications/storefront/preview': () => Response.json(waiting('full', new URLSearchParams())),
  'GET /api/v1/schemas/application': () => Response.json(applicationSchema()),
  'GET /api/v1/namespaces/shop/applications/storefront/text': () =>
    Response.json({ text: APPLICATION, masked: false, uid: 'aa0f7a52', generation: 4 }),
  'GET /api/v1/kinds': () =>
    Response.json({
      kinds: [POD_KIND, { ...POD_KIND, kind: 'ConfigMap', plural: 'configmaps' }],
      refused: [{ ...POD_KIND, kind: 'Secret', plural: 'secrets' }],
      incomplete: false,
    }),
  'GET /api/v1/kinds/core/pods/table': () => Response.json(POD_TABLE),
  'GET /api/v1/kinds/core/pods/pods': () => Response.json(POD_PAGE),
  'GET /api/v1/kinds/core.oam.dev/Application/pods': () => Response.json(POD_PAGE),
  'GET /api/v1/kinds/core/pods/object': () => Response.json(POD_CLOSE_UP),
  'POST /api/v1/applications/check': () => Response.json({ problems: [] }),
  'GET /api/v1/namespaces/shop/applications/storefront/compare': () =>
    Response.json(compared('full', new URLSearchParams({ from: 'v3', to: 'v4' }))),
};

/** Every screen: its name, what is shown, what the page comes with, and a text that stands there once it is read. */
export const SCREENS: readonly [string, ReactElement, ScreenOptions, string][] = [
  ['inbox', <InboxScreen key="s" />, { topics: ['inbox'] }, 'Stage 2 of 5 waits'],
  ['applications', <ApplicationsScreen key="s" />, { topics: ['applications'] }, 'Applications'],
  ['application', <ApplicationScreen key="s" ns="shop" name="storefront" />, { topics: ['application/shop/storefront'] }, 'Components'],
  ['what waits', <PreviewScreen key="s" ns="shop" name="storefront" />, { topics: ['application/shop/storefront'] }, 'Object by object'],
  [
    'two revisions',
    <CompareRevisionsScreen key="s" ns="shop" name="storefront" from="v3" to="v4" />,
    { topics: ['application/shop/storefront'] },
    'Object by object',
  ],
  [
    'editor',
    <EditorScreen key="s" ns="shop" name="storefront" user="ann" />,
    { topics: ['application/shop/storefront'] },
    'core.oam.dev/v1beta1',
  ],
  ['rollouts', <RolloutsScreen key="s" />, { topics: ['rollouts'] }, 'Rollouts'],
  ['history of rollouts', <HistoryScreen key="s" />, {}, 'By week'],
  ['rollout', <RolloutScreen key="s" ns="shop" name="web" />, { topics: ['rollout/shop/web'] }, 'Why it is waiting'],
  ['releases', <ReleasesScreen key="s" />, { topics: ['releases'] }, 'Releases'],
  [
    'release',
    <ReleaseScreen key="s" place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />,
    { topics: ['release/pay/helmrelease/ledger'] },
    'Status',
  ],
  [
    'release of Flux',
    <FluxReleaseScreen key="s" place={{ ns: 'shop', name: 'podinfo' }} />,
    { topics: ['flux/shop/helmrelease-v2/podinfo'] },
    'History',
  ],
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
  [
    'ledger of an application',
    <LedgerScreen key="s" ns="shop" name="storefront" />,
    { topics: ['ledger/shop/storefront', 'ledger-page/shop/storefront'] },
    'Objects by revision',
  ],
  ['compare', <CompareScreen key="s" from="a" to="b" />, {}, 'Object by object'],
  ['kinds', <KindsScreen key="s" />, {}, 'ConfigMap'],
  ['objects of a kind', <TableScreen key="s" group="" named="pods" />, {}, 'web-1'],
  ['object', <ObjectScreen key="s" at={{ group: '', named: 'pods', ns: 'shop', name: 'web-1' }} />, {}, 'Owned by'],
  ['activity', <ActivityScreen key="s" />, { topics: ['activity'] }, 'Activity'],
  ['engine', <EngineScreen key="s" />, { topics: ['engine'] }, 'Controllers'],
  ['sign-in', <SignInScreen mode="local" key="s" token={null} signedInAs={null} returnTo="/" />, {}, 'Sign in to Slipway'],
];
