import { messageOf } from '@/lib/contract/app-error';
import { digestValues } from '../compare/values-digest';
import { waitReason } from '../depends-on/wait-reason';
import type { RetainedCharts } from '../exports/shared-exports';
import { contentDigest } from '../gate/chart-identity';
import type { Attempted } from '../gate/pinned';
import { pulledChange } from '../gate/pinned';
import type { ExtendedRelease } from '../model/declared';
import { withLatestSpec } from '../model/declared';
import type { ChartAt } from '../model/release';
import { extendedRequest } from './extended-request';
import { attemptedOf, isChartMissing, lastAttemptOf, observedGenerationOf } from './status/last-attempt';
import type { ExtendedDeps } from './sync';
import type { BlockedSync, ObservedChart, SyncObservation, SyncObstacle, SyncSubject } from './sync-observation';

/** What an observation may use. */
interface Observing {
  readonly signal: AbortSignal;
  /** What is read stays until the sync has ended. */
  readonly holding: RetainedCharts;
}

/** The commit that a gate keeps a release at; undefined where none does. */
interface Gated {
  readonly commit: string | undefined;
}

/**
 * Observes a release of a later kind: its resource as it is now, what Helm stores of it, and its chart, which is fetched for that. The first obstacle ends the
 * observation, since what comes after it may take minutes. Null where the resource is gone or is being deleted.
 */
export async function observeSync(listed: ExtendedRelease, observing: Observing, deps: ExtendedDeps): Promise<SyncObservation | null> {
  const live = await deps.resources.read(listed.at);
  const resource = withLatestSpec(listed, live);
  if (live === undefined || live.isTerminating || resource === undefined) return null;
  const subject = { resource, status: live.status };
  const gate = (await observeHold(resource, observing.signal, deps)) ?? (await observeGate(resource, observing.signal, deps));
  if ('kind' in gate) return blocked(subject, gate);
  try {
    const ungranted = await deps.grants.why(resource);
    if (ungranted !== undefined) return blocked(subject, { kind: 'ungranted', sentence: ungranted });
    const waits = waitReason(resource, (key) => deps.resources.copyOf(resource.at, key));
    if (waits !== undefined) return blocked(subject, { kind: 'dependency', sentence: waits });
    const chart = await observeChart(subject, { ...observing, ...gate }, deps);
    return 'obstacle' in chart ? chart : await observeRelease({ ...subject, chart }, deps);
  } catch (error) {
    return blocked(subject, { kind: 'unknown', sentence: messageOf(error) });
  }
}

function blocked(subject: SyncSubject, obstacle: SyncObstacle): BlockedSync {
  return { ...subject, obstacle };
}

/** Of a release that is suspended, or that a person holds, nothing more is looked at; so of one of which nobody can tell. */
async function observeHold(
  resource: ExtendedRelease,
  signal: AbortSignal,
  { isHeld, gate }: ExtendedDeps,
): Promise<SyncObstacle | undefined> {
  if (resource.spec.suspend) return { kind: 'suspended' };
  try {
    return isHeld(resource) ? { kind: 'held', lostCommit: await gate.lostWhileHeld(resource, signal) } : undefined;
  } catch (error) {
    return { kind: 'undetermined', error: messageOf(error) };
  }
}

/** Before the first approval, and while nobody can tell, nothing more is looked at either. */
async function observeGate(resource: ExtendedRelease, signal: AbortSignal, { gate, log }: ExtendedDeps): Promise<SyncObstacle | Gated> {
  try {
    const commit = await gate.commitFor(resource, signal);
    return commit === null ? { kind: 'unapproved' } : { commit };
  } catch (error) {
    log.warn({ resource: resource.key, error: messageOf(error) }, 'could not determine which commit the release may use');
    return { kind: 'undetermined', error: messageOf(error) };
  }
}

async function observeChart(subject: SyncSubject, observing: Observing & Gated, deps: ExtendedDeps): Promise<BlockedSync | ObservedChart> {
  const { resource, status } = subject;
  const found = await fetchChart(resource, observing, deps).catch((error: unknown) => ({
    kind: 'chart' as const,
    sentence: `chart not ready: ${messageOf(error)}`,
  }));
  if ('kind' in found) return blocked(subject, found);
  const attempted = attemptedOf(status);
  const isChanged = observedGenerationOf(status) < resource.generation;
  const allowed = await deps.gate.archiveFor(resource, { found, attempted, isChanged });
  if ('waits' in allowed) return blocked(subject, { kind: 'archive', sentence: allowed.waits });
  const { chart } = allowed;
  observing.holding.folders.add(chart.folder); // a gate may have chosen another archive than was found
  try {
    const changed = await changedSince(resource, { attempted, chart }, { ...deps, ...observing });
    return { at: chart, changed, isNews: changed === 'yes' || isChartMissing(status) };
  } catch (error) {
    const obstacle = { kind: 'unknown', sentence: messageOf(error) } as const;
    return { ...subject, obstacle, chart: { at: chart, changed: 'unknown', isNews: false } };
  }
}

async function fetchChart(resource: ExtendedRelease, { signal, commit, holding }: Observing & Gated, deps: ExtendedDeps): Promise<ChartAt> {
  const { charts, sources, helm, gate, updateDeps } = deps;
  const { chart } = resource.spec;
  if (chart.kind === 'repository') {
    const pulled = await sources.pull(chart, resource.onBehalfOf);
    holding.folders.add(pulled.folder);
    return pulled;
  }
  const found = await charts.chartOf(resource, { chart, commit, holding }, signal);
  if (!updateDeps || chart.skipDepUpdate || !(await helm.lacksDependencies(found))) return found;
  const access = { onBehalfOf: resource.onBehalfOf, secrets: chart.dependencySecrets };
  return helm.buildDependencies(found, access, gate.dependenciesFor(resource));
}

async function changedSince(
  resource: ExtendedRelease,
  { attempted, chart }: { readonly attempted: Attempted; readonly chart: ChartAt },
  { charts, signal }: Pick<ExtendedDeps, 'charts'> & Pick<Observing, 'signal'>,
): Promise<ObservedChart['changed']> {
  if (attempted.revision === undefined) return 'yes';
  if (resource.spec.chart.kind === 'repository') return pulledChange(attempted, chart);
  const commits = await charts.changedSince(resource, { from: attempted.revision, chart }, signal);
  // No commit touched it, but what its dependencies lead to is another chart than the one that was attempted.
  const isOther = attempted.digest !== undefined && attempted.digest !== contentDigest(chart);
  return commits === 'no' && isOther ? 'unknown' : commits;
}

async function observeRelease(seen: SyncSubject & { readonly chart: ObservedChart }, deps: ExtendedDeps): Promise<SyncObservation> {
  const { resource, status, chart } = seen;
  try {
    const request = await extendedRequest(resource, chart.at, deps.values);
    const refusal = await deps.refusalOf(resource);
    if (refusal !== undefined) return { ...seen, obstacle: { kind: 'failed', sentence: refusal } };
    // Only "not found" means that there is none; anything else ends the sync (X-INST-2).
    const newest = await deps.helm.readNewest(resource.release);
    const foundMark = newest === undefined ? undefined : await deps.objects.readMark(request, resource.mark.annotation);
    const cancelled = deps.cancels.noteOf(resource);
    const last = lastAttemptOf(status, resource.release, newest);
    return { ...seen, request, valuesDigest: digestValues(request.values), newest, foundMark, cancelled, last };
  } catch (error) {
    return { ...seen, obstacle: { kind: 'failed', sentence: messageOf(error) } };
  }
}
