'use client';

import { useQuery } from '@tanstack/react-query';
import { PageTabs } from '@/components/live/address/page-tabs';
import { ConditionsPanel } from '@/components/live/condition-list';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { Empty } from '@/components/ui/data/empty';
import { listBreadcrumbs, ObjectHead } from '@/components/ui/object-head';
import { Panel } from '@/components/ui/panel';
import { FLUX_RELEASE } from '@/lib/contract/flux-kind';
import type { FluxReleaseDetail } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { StoredObjects } from '../objects-panel';
import { FluxActions } from './flux-actions';
import { FluxBadges, FluxFacts, FluxHistory, FluxManifest, FluxRecord, FluxStatus } from './flux-panels';
import type { FluxPlace } from './flux-queries';
import { fluxQueries } from './flux-queries';
import { SourceChain } from './source-chain';

const breadcrumbsOf = (ns: string) => listBreadcrumbs(t.releases, '/releases', ns);

interface Place {
  readonly ns: string;
  readonly name: string;
}

/** One release that Flux drives: how it stands, where its chart comes from, what Flux did, and what may be asked of it. */
export function FluxReleaseScreen({ place }: { readonly place: Place }) {
  const { ns, name } = place;
  return (
    <ObjectPage
      query={fluxQueries.release(place)}
      head={<ObjectHead breadcrumbs={breadcrumbsOf(ns)} name={name} />}
      awaits={t.readingTheReleaseIn(name, ns)}
      shape={[
        [3, 2],
        [5, 4],
      ]}
      missing={<Empty title={t.thereIsNoHelmReleaseIn(name, ns)}>{t.fluxUninstallsAReleaseWhose}</Empty>}
    >
      {(release, staleness) => <FluxReleaseView release={release} staleness={staleness} />}
    </ObjectPage>
  );
}

/** What Helm stored of the release is read as of every release. */
function FluxObjects({ place }: { readonly place: FluxPlace }) {
  return <StoredObjects objects={useQuery(fluxQueries.objects(place))} />;
}

function FluxReleaseView({ release, staleness }: { readonly release: FluxReleaseDetail; readonly staleness: Staleness | null }) {
  const { ns, name, state, flux } = release;
  const place = { ns, kind: FLUX_RELEASE, name } as const;
  const isSuspended = flux?.suspended === true;
  return (
    <div className="space-y-4">
      <ObjectHead
        breadcrumbs={breadcrumbsOf(ns)}
        name={name}
        marks={<FluxBadges state={state} isSuspended={isSuspended} />}
        note={<span className="text-ink-3">{t.helmReleaseReleaseIn(release.release.name, release.release.namespace)}</span>}
        actions={<FluxActions object={{ ...release, isSuspended }} place={place} source={release.source} staleness={staleness} />}
      />
      <FluxStatus sentence={release.sentence} asked={release.asked} />
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_400px]">
        <div className="space-y-4">
          {release.elsewhere === null ? <FluxObjects place={place} /> : null}
          <Panel>
            <PageTabs
              label={t.whatHappened}
              tabs={[
                { id: 'history', label: t.history, count: release.history.length, body: <FluxHistory history={release.history} /> },
                { id: 'manifest', label: t.resource, body: <FluxManifest place={place} /> },
                { id: 'record', label: t.onRecord, count: release.timeline.length, body: <FluxRecord timeline={release.timeline} /> },
              ]}
            />
          </Panel>
        </div>
        <div className="space-y-4">
          <ConditionsPanel conditions={release.conditions} none={t.fluxHasWrittenNoneYet} />
          <SourceChain source={release.source} />
          <FluxFacts release={release} />
        </div>
      </div>
    </div>
  );
}
