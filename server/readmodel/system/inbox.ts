import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { FluxSourceRow } from '@/lib/contract/flux-rows';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import type { ReleaseState } from '@/lib/contract/release-state';
import type { RolloutRow } from '@/lib/contract/rollout-rows';
import type { InboxRow } from '@/lib/contract/system-rows';
import type { TrackerRow } from '@/lib/contract/tracker-rows';
import { releasesIn } from '../views/topic-tables';
import type { Visibility, WindowVisibility } from '../views/window';

const GROUPS = ['waits', 'failing', 'moving'] as const;

/** What the inbox is made from. */
export interface InboxSources {
  readonly applications: Iterable<ApplicationRow>;
  readonly rollouts: Iterable<RolloutRow>;
  readonly releases: Iterable<ReleaseRow>;
  /** Those that Flux drives, and what it gets their charts from. */
  readonly fluxReleases: Iterable<ReleaseRow>;
  readonly fluxSources: Iterable<FluxSourceRow>;
  readonly trackers: Iterable<TrackerRow>;
}

/** What waits for a person first, then what fails, then what moves; each thing once, where it is most urgent. */
export function toInbox(sources: InboxSources, { visibility, releases, olderReleases, flux }: WindowVisibility): readonly InboxRow[] {
  const rows = [...rolloutRows(sources.rollouts), ...applicationRows(sources.applications), ...trackerRows(sources.trackers)];
  const theirs = [...releaseRows(sources.fluxReleases), ...sourceRows(sources.fluxSources)];
  const own = releaseRows(releasesIn(releases, olderReleases, sources.releases));
  const visible = [...seenIn(visibility, rows), ...own, ...seenIn(flux, theirs)];
  return eachOnce(visible).sort(
    (a, b) => rankOf(a) - rankOf(b) || (a.since ?? '').localeCompare(b.since ?? '') || a.key.localeCompare(b.key),
  );
}

const rankOf = ({ group }: InboxRow) => GROUPS.indexOf(group);

/** Of a rollout and its application one is told, the rollout where both are as urgent, or both say the same. */
function eachOnce(rows: readonly InboxRow[]): InboxRow[] {
  const told = new Set<string>();
  // A release may be called like an application, and like one of another kind.
  const nameOf = ({ kind, ns, name, href }: InboxRow) =>
    kind === 'release' || kind === 'source' ? href.replace(/\?.*$/, '') : `${ns}/${name}`;
  const news = rows.filter((row) => {
    const same = `${nameOf(row)} ${row.sentence}`;
    const isNew = !told.has(same);
    told.add(same);
    return isNew;
  });
  const seen = new Set<string>();
  return news
    .sort((a, b) => rankOf(a) - rankOf(b))
    .filter((row) => {
      // What fails is told also where something else of the same name waits for a person.
      const name = nameOf(row);
      const subject = `${row.group === 'failing' ? 'failing ' : ''}${name}`;
      const isTold = seen.has(subject);
      seen.add(subject).add(name);
      return !isTold;
    });
}

function seenIn(visibility: Visibility, rows: readonly InboxRow[]): readonly InboxRow[] {
  return visibility === 'all' ? rows : rows.filter((row) => visibility.includes(row.ns));
}

/** What of a state concerns a person: where it stands, what it is called, and how healthy it is. */
const RELEASE_ENTRIES: Readonly<Record<ReleaseState, readonly [InboxRow['group'], string, InboxRow['health']] | undefined>> = {
  failed: ['failing', 'Release failed', 'Failed'],
  pending: ['failing', 'Helm stopped half-way', 'Failed'],
  refused: ['failing', 'Declared twice', 'Failed'],
  'rolled-back': ['failing', 'Upgrade failed and was rolled back', 'Failed'],
  drifted: ['failing', 'Live objects have drifted', 'Current'],
  moved: ['waits', 'Change on hold: the plan has changed', 'Current'],
  held: ['waits', 'Held by a person', 'Current'],
  changing: ['moving', 'Being released', 'InProgress'],
  unknown: undefined, // nobody looks now, which Engine tells
  waiting: undefined,
  suspended: undefined,
  'in-sync': undefined,
};

function releaseRows(releases: Iterable<ReleaseRow>): InboxRow[] {
  return [...releases].flatMap(
    ({
      ns,
      kind,
      name,
      state,
      sentence,
      lastAct,
      approval,
      approvalCommit,
      approvalSince = null,
      decider,
      goneBranch,
      goneCommit,
      failedAt,
    }) => {
      const place = `${ns}/${kind}/${name}`;
      const about = { release: state, since: lastAct?.at ?? null, href: `/releases/${place}` };
      const rows: InboxRow[] = [];
      if (approval !== null) {
        const [entry, key] = [common({ ns, name, health: 'Current' }, 'release', 'waits'), `approval/${place}`];
        const waits = { key, title: 'A release waits for approval', sentence: approval, since: approvalSince, decider: decider ?? ANYBODY };
        const href = approvalCommit === undefined ? about.href : `${about.href}?tab=commits&commit=${approvalCommit}`;
        rows.push({ ...entry, ...about, ...waits, href });
      }
      const told = RELEASE_ENTRIES[state];
      if (told !== undefined) {
        const [group, title, health] = told;
        const since = failedAt ?? about.since;
        rows.push({ ...common({ ns, name, health }, 'release', group), ...about, since, key: `release/${place}`, title, sentence });
      }
      if (goneBranch !== undefined) {
        const entry = common({ ns, name, health: 'Current' }, 'release', 'failing');
        rows.push({ ...entry, ...about, key: `branch/${place}`, title: 'Branch deleted', sentence: goneBranch });
      }
      if (goneCommit !== undefined) {
        const entry = common({ ns, name, health: 'Current' }, 'release', 'failing');
        rows.push({ ...entry, ...about, key: `commit/${place}`, title: 'Commit no longer on its branch', sentence: goneCommit });
      }
      return rows;
    },
  );
}

/** Sources of Flux that fail: what takes its charts from them goes on as it is, and gets nothing new. */
function sourceRows(sources: Iterable<FluxSourceRow>): InboxRow[] {
  return [...sources].flatMap(({ ns, kind, name, state, sentence }) => {
    if (state !== 'failed') return [];
    const place = `${ns}/${kind}/${name}`;
    const entry = common({ ns, name, health: 'Failed' }, 'source', 'failing');
    return [
      { ...entry, key: `source/${place}`, title: 'Source failed', sentence, release: state, since: null, href: `/releases/${place}` },
    ];
  });
}

function rolloutRows(rollouts: Iterable<RolloutRow>): InboxRow[] {
  return [...rollouts].flatMap((row) => {
    const group = rolloutGroup(row);
    if (group === undefined) return [];
    return [
      {
        ...common(row, 'rollout', group),
        title: rolloutTitle(row),
        sentence: row.sentence,
        since: row.startedAt,
        ...(group === 'waits' && row.decider ? { decider: row.decider } : {}),
        href: `/rollouts/${row.ns}/${row.name}`,
      },
    ];
  });
}

function rolloutTitle({ activity, stage, from, to }: RolloutRow): string {
  if (activity === 'waiting') return `Stage ${stage.index} of ${stage.count} waits`;
  if (activity === 'aborting' || activity === 'aborted') return `${to} ${activity === 'aborted' ? 'was' : 'is being'} aborted`;
  if (activity === 'idle') return 'A looser policy waits';
  return `${from ?? 'nothing'} → ${to}`;
}

function rolloutGroup(row: RolloutRow): InboxRow['group'] | undefined {
  if (row.phase === 'Degraded') return row.activity === 'aborting' ? 'moving' : 'failing';
  if (row.awaits === 'person') return 'waits';
  if (row.health === 'Failed') return 'failing';
  return row.activity === 'idle' ? undefined : 'moving';
}

function applicationRows(applications: Iterable<ApplicationRow>): InboxRow[] {
  return [...applications].flatMap((row) => {
    const group = applicationGroup(row);
    if (group === undefined) return [];
    const title =
      row.activity === 'suspended'
        ? 'Suspended'
        : group === 'moving' && row.health === 'Terminating'
          ? 'Being deleted'
          : APPLICATION_TITLES[group];
    return [
      {
        ...common(row, 'application', group),
        title,
        sentence: row.waits ?? row.message,
        since: row.updatedAt,
        ...(group === 'waits' && row.decider ? { decider: row.decider } : {}),
        href: `/applications/${row.ns}/${row.name}`,
      },
    ];
  });
}

/** Whoever holds the right. */
const ANYBODY = { verb: 'approve', groups: [], not: [] };

const APPLICATION_TITLES: Readonly<Record<InboxRow['group'], string>> = {
  waits: 'Waits',
  failing: 'Not healthy',
  moving: 'Becoming ready',
};

/** What is held waits for a person, however its objects are. */
function applicationGroup({ waits, health }: ApplicationRow): InboxRow['group'] | undefined {
  if (waits !== null) return 'waits';
  if (health === 'Failed' || health === 'Unknown' || health === 'NotFound') return 'failing';
  return health === 'Current' ? undefined : 'moving';
}

function trackerRows(trackers: Iterable<TrackerRow>): InboxRow[] {
  return [...trackers].flatMap((row) => {
    if (row.state !== 'unreadable') return [];
    const ns = row.ns ?? '';
    return [
      {
        ...common({ ns, name: row.name, health: 'Failed' }, 'tracker', 'failing'),
        title: 'Unreadable tracker',
        sentence: row.message,
        since: row.createdAt,
        href: `/trackers/${row.name}`,
      },
    ];
  });
}

function common(row: Pick<InboxRow, 'ns' | 'name' | 'health'>, kind: InboxRow['kind'], group: InboxRow['group']) {
  return { key: `${kind}/${row.ns}/${row.name}`, group, kind, ns: row.ns, name: row.name, health: row.health };
}
