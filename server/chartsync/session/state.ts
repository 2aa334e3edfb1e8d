import type { Finding } from '@/lib/contract/finding';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { formatCount, formatList } from '@/lib/words/figures';
import type { HelmOperations } from '../describe/helm-operations';
import type { ReconcilesView } from '../describe/reconcile-history';
import type { MirrorView } from '../git/mirror-state';
import { releaseKey } from '../model/release';
import type { ChartRenderer } from '../preview/chart-renderer';
import type { Session } from './session';
import type { SessionComponents } from './session-components';

/** What chart sync is doing in this process. */
export type ChartSyncState =
  | { readonly kind: 'off'; readonly why: string }
  | { readonly kind: 'lacks'; readonly why: string; readonly remedy: string | null }
  | { readonly kind: 'running'; readonly session: Session; readonly parts: SessionComponents };

/** How the loops of a process that may act are. */
export function toReconcilesView(state: ChartSyncState): ReconcilesView {
  if (state.kind !== 'running') return { kind: 'waiting', why: state.why, remedy: remedyOf(state) };
  const { state: base, nextPassAt, since } = state.session;
  return { kind: 'running', since, baseWaits: base.kind === 'running' ? null : base.why, nextPassAt };
}

/** What renders previews, or why nothing does. */
export function rendererOrReason(state: ChartSyncState): ChartRenderer | string {
  if (state.kind === 'running') return state.parts.renderDesk;
  const remedy = remedyOf(state);
  return remedy === null ? state.why : `${state.why}: ${remedy}`;
}

/** Whether there is anything of the base kind, which the repository of the server serves, and of the later one. */
interface Wanted {
  readonly base: boolean;
  readonly extended: boolean;
}

/** What keeps releases that somebody wants from being looked at. */
export function findingsOf(state: ChartSyncState, wanted: Wanted): readonly Finding[] {
  const told = (sentence: string, remedy: string | null): readonly Finding[] => [
    { area: 'programs', subject: 'chartsync engine', sentence, remedy },
  ];
  if (state.kind !== 'running') return wanted.base || wanted.extended ? told(`Helm releases wait: ${state.why}`, remedyOf(state)) : [];
  const { state: base } = state.session;
  return base.kind === 'running' || !wanted.base ? [] : told(`FluxHelmReleases wait: ${base.why}`, null);
}

/** So many repositories are named, whoever writes resources chooses how many there are. */
const MOST_MIRRORS = 10;

/** The repositories that could not be fetched when that was tried last; `told` is one of which a finding tells already. */
export function findingsOfMirrors(mirrors: readonly MirrorView[], told: string | undefined): readonly Finding[] {
  const failing = mirrors.filter(({ id, failures }) => failures > 0 && id !== told);
  const left = failing.length - MOST_MIRRORS;
  const about = (subject: string, sentence: string): Finding => ({ area: 'programs', subject, sentence, remedy: null });
  return [
    ...failing.slice(0, MOST_MIRRORS).map(({ id, why, fetchedAt }) => {
      const stays =
        fetchedAt === null
          ? 'nothing of it was fetched since the server started'
          : `releases stay at what was fetched at ${toIso(fetchedAt)}`;
      return about(id, `the Git repository ${id} cannot be fetched: ${why ?? ''}; ${stays}`);
    }),
    ...(left > 0 ? [about('git', `${formatCount(left, 'other Git repository', 'other Git repositories')} cannot be fetched either`)] : []),
  ];
}

/** A Helm that runs for so long is most often one that waits for a hook. */
const LONG_MS = 60_000;

/** That work waits while every Helm that runs has been running for long. */
export function findingsOfHelmSlots({ running, waiting }: ReturnType<HelmOperations['slots']>, now: Instant): readonly Finding[] {
  if (waiting === 0 || !running.every(({ since }) => now - since > LONG_MS)) return [];
  const held = running.map(({ release, command, since }) => `${releaseKey(release)} (${command} since ${toIso(since)})`);
  const sentence = `${formatCount(waiting, 'release')} ${waiting === 1 ? 'waits' : 'wait'} for Helm, which is running for ${formatList(held)}; stop one of these, or raise --helm-at-once`;
  return [{ area: 'programs', subject: 'helm', sentence, remedy: null }];
}

const remedyOf = (state: Exclude<ChartSyncState, { kind: 'running' }>) => (state.kind === 'lacks' ? state.remedy : null);
