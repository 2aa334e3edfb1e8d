import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { liveQuery } from '@/components/live/live-query';
import { readExactly, readJson } from '@/components/live/request';
import type { ListQuery } from '@/lib/contract/lists/list-query';
import { statusesBody } from '@/lib/contract/object-statuses';
import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import {
  approvableCommit,
  commitComparison,
  releaseCommits,
  releaseComparison,
  storedContent,
  threeWay,
} from '@/lib/contract/release-comparison';
import { editableRelease, movedReleasePlan } from '@/lib/contract/release-edit';
import { awaitedApproval } from '@/lib/contract/release-gate';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { helmLog, hookLog, releaseHooks } from '@/lib/contract/release-log';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { releaseDetail, releaseHistory, releaseRights, releaseRow, rollbackPreview } from '@/lib/contract/release-rows';
import type { UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import { UNDECLARED_MS, undeclaredDetail, undeclaredReleases } from '@/lib/contract/undeclared-releases';

/** Statuses of what Helm stored are asked for again so often. */
const AGAIN_MS = 5000;
/** What moves while Helm is at work is asked for so often. */
const AT_WORK_MS = 1000;
/** How often what Helm does is asked for again. */
export type Pace = 'at-work' | 'idle' | 'never';

/** What Helm does and stored of a release, and how often that is asked for: as ever where the pace is undefined. */
export interface HelmPlace {
  readonly place: ReleasePlace;
  readonly stored: string;
  readonly pace: Pace | undefined;
}

const PACE_MS: Readonly<Record<Pace, number | false>> = { 'at-work': AT_WORK_MS, idle: AGAIN_MS, never: false };
const RIGHTS_KEPT_MS = 10_000;
const RENDERED_MS = 60_000;

/** A resource that declares a release, as its page names it. */
export interface ReleasePlace {
  readonly ns: string;
  readonly kind: ReleaseKindName;
  readonly name: string;
}

/** What Helm stored, by its resource or, where none declares it, by itself. */
export type StoredPlace = ReleasePlace | (Pick<ReleasePlace, 'ns' | 'name'> & { readonly kind?: undefined });

/** Differs with what Helm stored last. */
export function storedOf({ stored, storedRevision }: Pick<ReleaseDetail, 'stored' | 'storedRevision'>): string {
  return `${stored ?? ''} ${storedRevision ?? ''}`;
}

/** Moves with the release, its declaration and the commit that waits for it: whatever a comparison with its chart rests on. */
export function momentOf({ generation, revision, lastAct, gate }: ReleaseDetail): string {
  return JSON.stringify([generation, revision, lastAct?.storedRevision ?? null, awaitedApproval(gate)?.id ?? null]);
}

/** Moves with what people approved of a release, and what that counts for. */
export function approvalsOf({ gate, decisions }: Pick<ReleaseDetail, 'gate' | 'decisions'>): string {
  const about = decisions.filter(({ verb }) => verb === 'approve').map(({ key, phase }) => `${key} ${phase}`);
  return JSON.stringify(gate === null ? null : [gate.required, gate.groups, gate.approved?.at ?? null, about]);
}

/** What the screens about releases read. */
export const releaseQueries = {
  list: (query: ListQuery) => liveQuery({ kind: 'releases', query }, releaseRow),
  detail: ({ ns, kind, name }: ReleasePlace) => liveQuery({ kind: 'release', ns, of: kind, name }, releaseDetail),
  /** What Helm keeps moves by itself, and nothing here drives it. */
  undeclared: (ns: string | undefined) =>
    queryOptions({
      queryKey: ['releases', 'undeclared', ns ?? ''],
      queryFn: ({ signal }) =>
        readJson(`/api/v1/undeclared-releases${ns === undefined ? '' : `?ns=${encodeURIComponent(ns)}`}`, undeclaredReleases, signal),
      refetchInterval: ({ state }) => (state.data?.releases.some(isUnderWay) ? AT_WORK_MS : UNDECLARED_MS),
      retry: false,
    }),
  /** What uninstalling one of them does. While that is under way it is asked for again, so that its end is seen. */
  undeclaredOne: ({ ns, name }: Pick<ReleasePlace, 'ns' | 'name'>) =>
    queryOptions({
      queryKey: ['releases', 'undeclared-one', ns, name],
      queryFn: ({ signal }) => readJson(undeclaredPath({ ns, name }), undeclaredDetail, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  /** Keyed by the gate as well: who may still approve differs with it. */
  rights: (place: ReleasePlace, gate: ReleaseDetail['gate'] = null) =>
    queryOptions({
      queryKey: ['releases', 'rights', place, gate && [gate.required, gate.groups, awaitedApproval(gate)?.id, gate.approvers]],
      placeholderData: keepPreviousData,
      queryFn: ({ signal }) => readJson(pathOf(place, 'rights'), releaseRights, signal),
      staleTime: RIGHTS_KEPT_MS,
    }),
  /** What going back does; what it was worked out from travels with the decision. */
  rollback: (place: ReleasePlace, to: number) =>
    queryOptions({
      queryKey: ['releases', 'rollback', place, to],
      queryFn: ({ signal }) => readJson(`${pathOf(place, 'rollback')}&to=${to}`, rollbackPreview, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  /** Keyed by what Helm stored last, so that another revision is another read. */
  history: (place: StoredPlace, stored: string) =>
    queryOptions({
      queryKey: ['releases', 'history', place, stored],
      queryFn: ({ signal }) => readJson(storedPath(place, 'history'), releaseHistory, signal),
      staleTime: AGAIN_MS,
      retry: false,
    }),
  /** What Helm has stored by now, for an act that names one of it: an older answer would lack what came since. */
  historyNow: (place: ReleasePlace) =>
    queryOptions({
      queryKey: ['releases', 'history', place],
      queryFn: ({ signal }) => readJson(pathOf(place, 'history'), releaseHistory, signal),
      staleTime: 0,
      gcTime: 0,
      retry: false,
    }),
  /** What one of them holds. An unlock alone rewrites its state, which is no part of that. */
  content: (place: StoredPlace, revision: number) =>
    queryOptions({
      queryKey: ['releases', 'content', place, revision],
      queryFn: ({ signal }) => readJson(storedPath(place, 'content', { revision: String(revision) }), storedContent, signal),
      staleTime: RIGHTS_KEPT_MS,
      retry: false,
    }),
  /** Stored revisions never change, so neither does how two of them differ. */
  comparison: (place: ReleasePlace, { from, to }: { readonly from: number; readonly to: number }) =>
    queryOptions({
      queryKey: ['releases', 'comparison', place, from, to],
      queryFn: ({ signal }) => readJson(`${pathOf(place, 'compare')}&from=${from}&to=${to}`, releaseComparison, signal),
      staleTime: RIGHTS_KEPT_MS,
      retry: false,
    }),
  /** Keyed by what was approved as well: what a commit still needs differs with it. */
  commits: (place: ReleasePlace, { moment, approvals }: { readonly moment: string; readonly approvals: string }) =>
    queryOptions({
      queryKey: ['releases', 'commits', place, moment, approvals],
      queryFn: ({ signal }) => readJson(pathOf(place, 'commits'), releaseCommits, signal),
      staleTime: AGAIN_MS,
      placeholderData: keepPreviousData,
      retry: false,
    }),
  /** Helm renders the chart, so it is asked for when somebody opens it, and again only once the release or its branch moved. */
  commitComparison: (place: ReleasePlace, { commit, moment }: { readonly commit: string; readonly moment: string }) =>
    queryOptions({
      queryKey: ['releases', 'commit', place, commit, moment],
      queryFn: ({ signal }) => readJson(`${pathOf(place, `commits/${commit}`)}`, commitComparison, signal),
      staleTime: RENDERED_MS,
      retry: false,
    }),
  /** The chart of a commit that is about to be approved, and whether that would count. Read again where the list tells other approvals of it. */
  approvable: (place: ReleasePlace, { commit, approval }: Pick<ReleaseCommits['commits'][number], 'commit' | 'approval'>) =>
    queryOptions({
      queryKey: ['releases', 'approvable', place, commit, approval ?? null],
      placeholderData: keepPreviousData,
      queryFn: ({ signal }) => readJson(pathOf(place, `commits/${commit}/approval`), approvableCommit, signal),
      staleTime: 0,
      gcTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: false,
    }),
  /** What is live moves by itself, so it is read again whenever somebody comes back to it. */
  threeWay: (place: ReleasePlace, moment: string) =>
    queryOptions({
      queryKey: ['releases', 'three-way', place, moment],
      queryFn: ({ signal }) => readJson(pathOf(place, 'three-way'), threeWay, signal),
      staleTime: AGAIN_MS,
      retry: false,
    }),
  /** Read to the letter, and once: what is opened is what is edited. */
  editable: (place: ReleasePlace) =>
    queryOptions({
      queryKey: ['releases', 'editable', place],
      queryFn: ({ signal }) => readExactly(pathOf(place, 'values'), editableRelease, signal),
      staleTime: 0,
      gcTime: 0,
      refetchOnWindowFocus: false,
      retry: false,
    }),
  /** Both plans of a change that waits; Helm renders, so it is asked for again only once something moved. */
  moved: (place: ReleasePlace, moment: string) =>
    queryOptions({
      queryKey: ['releases', 'moved', place, moment],
      queryFn: ({ signal }) => readJson(pathOf(place, 'outdated-plan'), movedReleasePlan, signal),
      staleTime: RENDERED_MS,
      retry: false,
    }),
  /** Whether Helm is at work is told by this, too. Keyed by what Helm stored last: that Helm began, and that it ended, is seen at once. */
  log: (place: ReleasePlace, stored: string, pace?: Pace) =>
    queryOptions({
      queryKey: ['releases', 'log', place, stored],
      queryFn: ({ signal }) => readJson(pathOf(place, 'log'), helmLog, signal),
      refetchInterval: ({ state }) => PACE_MS[pace ?? (state.data?.log?.until === null ? 'at-work' : 'idle')],
      placeholderData: keepPreviousData,
      retry: false,
    }),
  hooks: (place: ReleasePlace, moment: string) =>
    queryOptions({
      queryKey: ['releases', 'hooks', place, moment],
      queryFn: ({ signal }) => readJson(pathOf(place, 'hooks'), releaseHooks, signal),
      staleTime: AGAIN_MS,
      placeholderData: keepPreviousData,
      retry: false,
    }),
  hookLog: (place: ReleasePlace, hook: string) =>
    queryOptions({
      queryKey: ['releases', 'hook-log', place, hook],
      queryFn: ({ signal }) => readJson(`${pathOf(place, 'hooks/log')}&hook=${encodeURIComponent(hook)}`, hookLog, signal),
      refetchInterval: AGAIN_MS,
      gcTime: 0,
      retry: false,
    }),
  /** Each object of a release on its way is seen to become ready. Keyed by what Helm stored last, which lists others. */
  objects: (place: ReleasePlace, stored: string, pace: Pace = 'idle') =>
    queryOptions({
      queryKey: ['releases', 'objects', place, stored],
      queryFn: ({ signal }) => readJson(pathOf(place, 'status'), statusesBody, signal),
      refetchInterval: PACE_MS[pace],
      placeholderData: keepPreviousData,
      retry: false,
    }),
};

/** Path of a release in the API. */
export function releasePath({ ns, name }: Pick<ReleasePlace, 'ns' | 'name'>): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/releases/${encodeURIComponent(name)}`;
}

/** Whether a release that no resource declares is being uninstalled: somebody decided that, or its resource was deleted. */
export function isUnderWay({ uninstall, declaredBefore }: UndeclaredReleases['releases'][number]): boolean {
  return uninstall?.isOver === false || declaredBefore?.isUninstalling === true;
}

/** Path of a release that no resource declares. */
export function undeclaredPath({ ns, name }: Pick<ReleasePlace, 'ns' | 'name'>): string {
  return `/api/v1/namespaces/${encodeURIComponent(ns)}/undeclared-releases/${encodeURIComponent(name)}`;
}

function storedPath({ ns, name, kind }: StoredPlace, part: string, query: Readonly<Record<string, string>> = {}): string {
  const path = kind === undefined ? undeclaredPath({ ns, name }) : releasePath({ ns, name });
  const asked = new URLSearchParams({ ...(kind === undefined ? {} : { kind }), ...query }).toString();
  return `${path}/${part}${asked === '' ? '' : `?${asked}`}`;
}

function pathOf(place: ReleasePlace, part: string): string {
  return `${releasePath(place)}/${part}?kind=${place.kind}`;
}
