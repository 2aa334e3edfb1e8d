import type { LedgerColumn, LedgerHead, LedgerLine } from '@/lib/contract/history/ledger-rows';
import { LEDGER_PAGE } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery, LedgerState } from '@/lib/contract/lists/ledger-query';
import { LEDGER_STATES } from '@/lib/contract/lists/ledger-query';
import type { TrackerRow } from '@/lib/contract/tracker-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { extractAppRevisionName, revisionNumberOf } from '@/server/dispatch';
import type { Clock, Release } from '@/server/platform';
import type { TrackedObjects } from '../applications/tracked';
import type { ClusterView } from '../cluster-view';
import type { Place } from '../freshness';
import { toLiveState } from '../live-state';
import { ownerTracker } from '../trackers/tracker-row';
import type { View } from '../views/live-window';
import type { Collected, Collections } from './collected';
import type { MatrixColumn, MatrixNow, MatrixRow } from './matrix';
import { cellsOf, MAX_COLUMNS, stateBit, statesOf, toMatrixRows } from './matrix';

/** Ledgers that are kept while nobody says that anything in them changed. */
const MAX_KEPT = 8;
/** So long at most: what changes by time alone says nothing. */
const KEPT_MS = 1000;

interface LedgersDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  readonly collections: Collections;
  /** The line of the table of trackers. */
  readonly rowOf: (tracker: string) => TrackerRow | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly onTouch: (listener: (key: ObjectKey) => void) => Release;
}

/** What the columns list: the same while no tracker was written and nothing was collected. */
interface Shape {
  readonly trackers: readonly KubeObject[];
  readonly collected: Collected['revisions'];
  readonly columns: readonly MatrixColumn[];
  readonly older: number;
  readonly rows: readonly MatrixRow[];
}

/** The same with who owns each object now. */
interface Seen {
  readonly at: Instant;
  readonly shape: Shape;
  readonly unread: string | null;
  readonly now: readonly MatrixNow[];
  /** Bits of the states of each row. */
  readonly states: Uint8Array;
}

/** The ledgers of applications across their revisions, each made when somebody looks at it. */
export class Ledgers {
  readonly #deps: LedgersDeps;
  readonly #shapes = new Map<ObjectKey, Shape>();
  readonly #seen = new Map<ObjectKey, Seen>();
  readonly #ends: readonly Release[];

  constructor(deps: LedgersDeps) {
    this.#deps = deps;
    this.#ends = [deps.onTouch((key) => this.#seen.delete(key)), deps.collections.onRead((key) => this.#seen.delete(key))];
  }

  /** Hears that the ledger of an application may be another. */
  watch(application: ObjectKey, listener: () => void): Release {
    const { onTouch, collections } = this.#deps;
    const hear = (key: ObjectKey) => {
      if (key === application) listener();
    };
    const ends = [onTouch(hear), collections.onRead(hear)];
    return () => {
      for (const end of ends) end();
    };
  }

  /** What the ledger consists of; undefined where there is no application. */
  head(application: ObjectKey): LedgerHead | undefined {
    const seen = this.#see(application);
    if (seen === undefined) return undefined;
    const { shape, states, unread } = seen;
    const kinds = new Map<string, number>();
    for (const { id } of shape.rows) {
      const kind = id.slice(0, id.indexOf('/'));
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const countOf = (state: LedgerState) => states.reduce((sum, bits) => ((bits & stateBit(state)) === 0 ? sum : sum + 1), 0);
    return {
      key: application,
      total: shape.rows.length,
      columns: shape.columns.map((column) => this.#toColumn(column, parseObjectKey(application).namespace ?? '')),
      older: shape.older,
      kinds: [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
      states: LEDGER_STATES.map((state) => ({ state, count: countOf(state) })).filter(({ count }) => count > 0),
      unread,
    };
  }

  /** A page of its objects. */
  page(application: ObjectKey, { q, kind, state, page = 0 }: LedgerQuery): View | undefined {
    const seen = this.#see(application);
    if (seen === undefined) return undefined;
    const { rows, columns } = seen.shape;
    const [text, bit] = [q?.toLowerCase(), state === undefined ? 0 : stateBit(state)];
    const found: number[] = [];
    for (const [at, row] of rows.entries()) {
      if (bit !== 0 && ((seen.states[at] ?? 0) & bit) === 0) continue;
      if (kind !== undefined && !row.id.startsWith(`${kind}/`)) continue;
      if (text === undefined || row.text.includes(text)) found.push(at);
    }
    const shown = found.slice(page * LEDGER_PAGE, (page + 1) * LEDGER_PAGE).flatMap((at) => {
      const [row, now] = [rows[at], seen.now[at]];
      return row === undefined || now === undefined ? [] : [toLine(row, now, columns.length)];
    });
    return { order: shown.map(({ key }) => key), rows: new Map(shown.map((row) => [row.key, row])), total: found.length };
  }

  /** What the ledger rests on: each object once, however many revisions list it. */
  placeOf(application: ObjectKey): Place {
    const { namespace } = parseObjectKey(application);
    const objects = this.#see(application)?.shape.rows.flatMap(({ entry }) => entry ?? []) ?? [];
    return { ...(namespace === undefined ? {} : { namespace }), objects };
  }

  release(): void {
    for (const end of this.#ends) end();
  }

  #see(application: ObjectKey): Seen | undefined {
    const { view, collections, clock } = this.#deps;
    const at = clock.now();
    const held = this.#seen.get(application);
    if (held !== undefined && at - held.at < KEPT_MS) return held;
    if (view.get(KINDS.application, application) === undefined) {
      this.#seen.delete(application);
      this.#shapes.delete(application);
      return undefined;
    }
    const { revisions, unread } = collections.of(application);
    const shape = this.#shapeOf(application, revisions);
    const seen = { at, shape, unread, ...this.#lookAt(shape) };
    keep(this.#seen, application, seen);
    return seen;
  }

  #shapeOf(application: ObjectKey, collected: Collected['revisions']): Shape {
    const { tracked } = this.#deps;
    const trackers = tracked.trackersOf(application);
    const held = this.#shapes.get(application);
    const isSame =
      held?.collected === collected && held.trackers.length === trackers.length && held.trackers.every((one, at) => one === trackers[at]);
    if (held !== undefined && isSame) return held;
    const { namespace = '' } = parseObjectKey(application);
    const onRecord = new Map(collected.map((one) => [one.tracker, one]));
    const alive = trackers.map(({ metadata: { name = '' } }) => ({
      tracker: name,
      entries: tracked.entriesOf(name),
      collected: onRecord.get(name),
    }));
    const names = new Set(alive.map(({ tracker }) => tracker));
    const gone = collected
      .filter(({ tracker }) => !names.has(tracker))
      .map((one) => ({ tracker: one.tracker, entries: undefined, collected: one }));
    const numberOf = ({ tracker }: MatrixColumn) => revisionNumberOf(extractAppRevisionName(tracker, namespace)) ?? 0;
    const all = [...alive, ...gone].sort((a, b) => numberOf(b) - numberOf(a));
    const columns = all.slice(0, MAX_COLUMNS);
    const shape = { trackers, collected, columns, older: all.length - columns.length, rows: toMatrixRows(columns) };
    keep(this.#shapes, application, shape);
    return shape;
  }

  #lookAt({ columns, rows }: Shape): Pick<Seen, 'now' | 'states'> {
    const { view } = this.#deps;
    const newest = Math.max(
      0,
      columns.findIndex(({ entries }) => entries !== undefined),
    );
    const columnOf = new Map(columns.map(({ tracker }, at) => [tracker, at]));
    const now = rows.map(({ entry }): MatrixNow => {
      if (entry === undefined) return { exists: false, owner: undefined, newest };
      const live = toLiveState(view, entry);
      if (live.kind === 'unknown') return { exists: undefined, owner: undefined, newest };
      const owner = ownerTracker(live.kind === 'present' ? live.object : undefined);
      return { exists: live.kind === 'present', owner: owner === undefined ? undefined : (columnOf.get(owner) ?? -1), newest };
    });
    const states = new Uint8Array(rows.length);
    for (const [at, row] of rows.entries()) states[at] = statesOf(row, now[at] ?? ABSENT, columns.length);
    return { now, states };
  }

  #toColumn({ tracker, entries, collected }: MatrixColumn, ns: string): LedgerColumn {
    const row = this.#deps.rowOf(tracker);
    const revision = row?.revision ?? extractAppRevisionName(tracker, ns);
    if (entries === undefined) return { tracker, revision, state: 'collected', at: collected?.at ?? null, objects: null };
    return { tracker, revision, state: row?.state ?? 'previous', at: row?.createdAt ?? null, objects: entries.length };
  }
}

const ABSENT: MatrixNow = { exists: false, owner: undefined, newest: 0 };

function toLine(row: MatrixRow, now: MatrixNow, columns: number): LedgerLine {
  const { id, entry, key } = row;
  const [kind = ''] = id.split(/[./]/, 1);
  const { namespace, name } = parseObjectKey(key);
  return {
    key: id,
    id,
    apiVersion: entry?.apiVersion ?? '',
    kind,
    ns: namespace ?? null,
    name,
    exists: now.exists ?? null,
    cells: cellsOf(row, now, columns),
  };
}

function keep<Value>(held: Map<ObjectKey, Value>, key: ObjectKey, value: Value): void {
  held.delete(key);
  held.set(key, value);
  const [oldest] = held.keys();
  if (held.size > MAX_KEPT && oldest !== undefined) held.delete(oldest);
}
