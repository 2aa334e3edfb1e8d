'use client';

import { useQuery } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { Timeline } from '@/components/live/timeline';
import { Badge } from '@/components/ui/badge';
import { CodeView } from '@/components/ui/data/code-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Fact, Panel } from '@/components/ui/panel';
import { ScrollRegion } from '@/components/ui/scroll-region';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { FluxReleaseDetail, FluxSourceDetail, FluxStoredRelease } from '@/lib/contract/flux-rows';
import type { ReleaseState } from '@/lib/contract/release-state';
import { t } from '@/lib/words/catalogue/releases/flux';
import type { FluxPlace } from './flux-queries';
import { fluxQueries } from './flux-queries';
import { FLUX_ASKED_WORD } from './flux-words';

/** How an object of Flux stands, beside its name. */
export function FluxBadges({ state, isSuspended }: { readonly state: ReleaseState; readonly isSuspended: boolean }) {
  return (
    <>
      <ReleaseMark state={state} />
      {isSuspended && state !== 'suspended' ? <Badge tone="odd">{t.suspended}</Badge> : null}
      <DrivenByFlux />
    </>
  );
}

/** How it stands in a sentence, and what was asked of it. */
export function FluxStatus({ sentence, asked }: Pick<FluxReleaseDetail, 'sentence' | 'asked'>) {
  return (
    <Panel title={t.status}>
      <p className="px-4 py-2 text-pretty wrap-anywhere">
        <Sentence text={sentence} />
      </p>
      <AskedLines asked={asked} />
    </Panel>
  );
}

/** What was asked of Flux, and whether its controller has taken it up. */
function AskedLines({ asked }: { readonly asked: FluxReleaseDetail['asked'] }) {
  return asked.map(({ verb, token, at, isTaken }) => (
    <p key={verb} role="status" className="flex flex-wrap items-center gap-x-2 px-4 py-2">
      <Badge tone={isTaken ? 'good' : 'busy'}>{isTaken ? t.taken : t.asked}</Badge>
      <span>
        {t.askedBy(FLUX_ASKED_WORD[verb])} {at === null ? t.byTheToken(token) : <Ago at={at} />}
        {isTaken ? t.takenUpByFlux : t.notYetTakenUpBy}
      </span>
    </p>
  ));
}

/** The releases of Helm that Flux remembers, newest first. */
export function FluxHistory({ history }: { readonly history: readonly FluxStoredRelease[] }) {
  if (history.length === 0) return <p className="px-4 py-6 text-ink-3">{t.fluxHasReleasedNothingYet}</p>;
  return (
    <ScrollRegion tag="ol" label={t.history} className="max-h-[420px] divide-y">
      {history.map(({ key, version, status, chart, chartVersion, appVersion, digest, firstDeployed, lastDeployed, tests }) => (
        <li key={key} className="px-4 py-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{t.revision(version)}</span>
            <span className={status === 'failed' ? 'text-bad' : status === 'deployed' ? 'text-good' : 'text-ink-3'}>{status}</span>
            <span>
              {chart} <span className="text-ink-3">{chartVersion}</span>
            </span>
            {appVersion === null ? null : <span className="text-ink-3">{t.app(appVersion)}</span>}
            {tests.length === 0 ? null : <span className="text-ink-3">{t.tests(tests.join(', '))}</span>}
            <span className="ml-auto text-ink-3 text-xs">
              <Ago at={lastDeployed} />
            </span>
          </div>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-3 text-xs">
            {firstDeployed === null ? null : <span>{rich(t.firstDeployed(<Ago at={firstDeployed} />))}</span>}
            {digest === null ? null : <code className="wrap-anywhere font-mono">{digest}</code>}
          </p>
        </li>
      ))}
    </ScrollRegion>
  );
}

/** The resource as it is in the cluster, read as the person, values of Secrets masked. */
export function FluxManifest({ place }: { readonly place: FluxPlace }) {
  const manifest = useQuery(fluxQueries.manifest(place));
  return (
    <QueryView query={manifest} awaits={t.readingTheResource} pending={<SkeletonRows rows={6} columns={1} />}>
      {(data) => <CodeView code={data.manifest} label={t.manifestOf(place.name)} />}
    </QueryView>
  );
}

/** What people asked of it here. */
export function FluxRecord({ timeline }: { readonly timeline: FluxSourceDetail['timeline'] }) {
  if (timeline.length === 0) return <p className="px-4 py-6 text-ink-3">{t.noRequestsToFluxAbout}</p>;
  return <Timeline entries={timeline} />;
}

/** Says who drives, where somebody might think that Slipway does. */
function DrivenByFlux() {
  return <Badge tone="idle">{t.drivenByFluxSlipwayShows}</Badge>;
}

/** Facts of a release: how Flux looks at it, and what it does when something fails. */
export function FluxFacts({ release }: { readonly release: FluxReleaseDetail }) {
  const {
    chart,
    flux,
    lastAttempt,
    failures,
    remediation,
    dependsOn,
    valuesFrom,
    elsewhere,
    account,
    storage,
    timeout,
    observed,
    generation,
  } = release;
  return (
    <Panel title={t.release}>
      <dl className="divide-y">
        <Fact term={t.chart}>
          {chart === null ? '–' : `${chart.name} ${chart.version}${chart.appVersion === null ? '' : t.appAfter(chart.appVersion)}`}
        </Fact>
        <Fact term={t.lastAttempt}>
          {lastAttempt.revision === null
            ? t.noneYet
            : `${lastAttempt.revision}${lastAttempt.action === null ? '' : `, ${lastAttempt.action}`}`}
        </Fact>
        <Fact term={t.interval}>
          {flux?.interval ?? '–'}
          {timeout === null ? null : <span className="text-ink-3">{t.eachActOfHelmAt(timeout)}</span>}
        </Fact>
        <Fact term={t.failures}>
          {failures.all}
          <span className="text-ink-3">{t.ofInstallingOfUpgrading(failures.install, failures.upgrade)}</span>
        </Fact>
        <Fact term={t.remedies}>
          <ul className="space-y-1">
            {remediation.map((sentence) => (
              <li key={sentence}>
                <Sentence text={`${sentence}.`} />
              </li>
            ))}
          </ul>
        </Fact>
        <Fact term={t.drift}>
          <Sentence text={`${release.drift.sentence}.`} />
        </Fact>
        {dependsOn.length === 0 ? null : (
          <Fact term={t.dependsOn}>
            {dependsOn.map(({ ns, name }) => (
              <a
                key={`${ns}/${name}`}
                href={`/releases/${ns}/helmrelease-v2/${name}`}
                className="mr-2 rounded-sm underline decoration-line-strong underline-offset-2"
              >
                {ns === release.ns ? name : `${ns}/${name}`}
              </a>
            ))}
          </Fact>
        )}
        {valuesFrom.length === 0 ? null : (
          <Fact term={t.valuesFrom}>
            <ul>
              {valuesFrom.map((from) => (
                <li key={from}>{from}</li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact term={t.stored}>{t.releaseIn(storage.name, storage.namespace)}</Fact>
        {elsewhere === null ? null : <Fact term={t.cluster}>{t.anotherOneBy(elsewhere)}</Fact>}
        {account === null ? null : <Fact term={t.account}>{account}</Fact>}
        <Fact term={t.generation}>{observed === null || observed >= generation ? generation : t.fluxHasComeTo(generation, observed)}</Fact>
      </dl>
    </Panel>
  );
}
