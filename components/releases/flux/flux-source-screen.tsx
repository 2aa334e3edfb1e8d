'use client';

import { PageTabs } from '@/components/live/address/page-tabs';
import { Ago } from '@/components/live/ago';
import { ConditionsPanel } from '@/components/live/condition-list';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { Empty } from '@/components/ui/data/empty';
import { listBreadcrumbs, ObjectHead } from '@/components/ui/object-head';
import { Fact, Panel } from '@/components/ui/panel';
import type { FluxSourceName } from '@/lib/contract/flux-kind';
import type { FluxSourceDetail } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { FluxActions } from './flux-actions';
import { FluxBadges, FluxManifest, FluxRecord, FluxStatus } from './flux-panels';
import { fluxQueries } from './flux-queries';
import { SOURCE_KIND_WORD } from './flux-words';
import { SourceChain } from './source-chain';

const breadcrumbsOf = (ns: string) => [
  ...listBreadcrumbs(t.releases, '/releases'),
  { label: t.sources, href: '/releases/sources' },
  { label: ns, href: `/releases/sources?ns=${ns}` },
];

interface Place {
  readonly ns: string;
  readonly kind: FluxSourceName;
  readonly name: string;
}

/** One source of Flux: where it fetches from, what it fetched last, and what may be asked of it. */
export function FluxSourceScreen({ place }: { readonly place: Place }) {
  const { ns, kind, name } = place;
  return (
    <ObjectPage
      query={fluxQueries.source(place)}
      head={<ObjectHead breadcrumbs={breadcrumbsOf(ns)} name={name} />}
      awaits={t.readingIn(SOURCE_KIND_WORD[kind], name, ns)}
      shape={[[3, 2]]}
      missing={<Empty title={t.thereIsNoInAny(SOURCE_KIND_WORD[kind], name, ns)}>{t.whatRestsOnItGoes}</Empty>}
    >
      {(source, staleness) => <FluxSourceView source={source} staleness={staleness} />}
    </ObjectPage>
  );
}

function FluxSourceView({ source, staleness }: { readonly source: FluxSourceDetail; readonly staleness: Staleness | null }) {
  const { ns, kind, name, state, suspended } = source;
  const place = { ns, kind, name };
  return (
    <div className="space-y-4">
      <ObjectHead
        breadcrumbs={breadcrumbsOf(ns)}
        name={name}
        marks={<FluxBadges state={state} isSuspended={suspended} />}
        note={<span className="text-ink-3">{SOURCE_KIND_WORD[kind]}</span>}
        actions={<FluxActions object={{ ...source, isSuspended: suspended }} place={place} source={null} staleness={staleness} />}
      />
      <FluxStatus sentence={source.sentence} asked={source.asked} />
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_400px]">
        <div className="space-y-4">
          <SourceFacts source={source} />
          <Panel>
            <PageTabs
              label={t.more}
              tabs={[
                { id: 'manifest', label: t.resource, body: <FluxManifest place={place} /> },
                { id: 'record', label: t.onRecord, count: source.timeline.length, body: <FluxRecord timeline={source.timeline} /> },
              ]}
            />
          </Panel>
        </div>
        <div className="space-y-4">
          <ConditionsPanel conditions={source.conditions} none={t.fluxHasWrittenNoneYet} />
          {source.from === null ? null : <SourceChain source={source.from} />}
        </div>
      </div>
    </div>
  );
}

function SourceFacts({
  source: { url, follows, revision, digest, fetchedAt, interval, secret, kind },
}: {
  readonly source: FluxSourceDetail;
}) {
  return (
    <Panel title={t.source}>
      <dl className="divide-y">
        <Fact term={kind === 'helmchart' ? t.chart : t.address}>{url}</Fact>
        {follows === null ? null : <Fact term={t.follows}>{follows}</Fact>}
        <Fact term={t.revisionTitle}>{revision === null ? t.noneYet : <code className="font-mono text-xs">{revision}</code>}</Fact>
        {digest === null ? null : (
          <Fact term={t.digest}>
            <code className="font-mono text-xs">{digest}</code>
          </Fact>
        )}
        <Fact term={t.lastArtifact}>
          <Ago at={fetchedAt} />
        </Fact>
        <Fact term={t.interval}>{interval ?? t.nothingIsFetchedByItself}</Fact>
        {secret === null ? null : <Fact term={t.credentials}>{t.secret(secret)}</Fact>}
      </dl>
    </Panel>
  );
}
