import type { Finding } from '@/lib/contract/finding';
import type { LoopsView } from '../describe/loop-journal';
import type { RenderDesk } from '../preview/render-desk';
import type { Parts } from './parts';
import type { Session } from './session';

/** What chart sync is doing in this process. */
export type ChartSyncState =
  | { readonly kind: 'off'; readonly why: string }
  | { readonly kind: 'lacks'; readonly why: string; readonly mend: string | null }
  | { readonly kind: 'running'; readonly session: Session; readonly parts: Parts };

/** How the loops of a process that may act are. */
export function toLoopsView(state: ChartSyncState): LoopsView {
  if (state.kind !== 'running') return { kind: 'waiting', why: state.why, mend: mendOf(state) };
  const { state: base, nextPassAt } = state.session;
  return { kind: 'running', baseWaits: base.kind === 'running' ? null : base.why, nextPassAt };
}

/** What renders previews, or why nothing does. */
export function deskOrWhy(state: ChartSyncState): RenderDesk | string {
  if (state.kind === 'running') return state.parts.renderDesk;
  const mend = mendOf(state);
  return mend === null ? state.why : `${state.why}: ${mend}`;
}

/** Whether there is anything of the base kind, which the repository of the server serves, and of the later one. */
interface Wanted {
  readonly base: boolean;
  readonly extended: boolean;
}

/** What keeps releases that somebody wants from being looked at. */
export function findingsOf(state: ChartSyncState, wanted: Wanted): readonly Finding[] {
  const told = (sentence: string, mend: string | null): readonly Finding[] => [
    { area: 'programs', subject: 'chartsync engine', sentence, mend },
  ];
  if (state.kind !== 'running') return wanted.base || wanted.extended ? told(`Helm releases wait: ${state.why}`, mendOf(state)) : [];
  const { state: base } = state.session;
  return base.kind === 'running' || !wanted.base ? [] : told(`FluxHelmReleases wait: ${base.why}`, null);
}

const mendOf = (state: Exclude<ChartSyncState, { kind: 'running' }>) => (state.kind === 'lacks' ? state.mend : null);
