import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';
import type { ReadEntries } from '../system/journal';

/** What a collection did with the objects of one revision, as it is on record. */
export interface CollectedRevision {
  readonly tracker: string;
  readonly at: string;
  /** Ids of objects. */
  readonly deleted: readonly string[];
  readonly handedOver: readonly string[];
}

/** What is known of the collections of an application. The same array again while nothing was added. */
export interface Collected {
  readonly revisions: readonly CollectedRevision[];
  /** Why the record could not be read; null where it could, or is about to be. */
  readonly unread: string | null;
}

/** The newest collections that are read of one application. */
const MAX_READ = 60;
/** Another replica may have collected meanwhile. */
const READ_EVERY_MS = 30_000;
const MAX_KEPT = 64;
const PLANNED = 'garbage.planned';
const NOTHING: readonly CollectedRevision[] = [];

interface CollectionsDeps {
  readonly read: ReadEntries;
  readonly clock: Pick<Clock, 'now'>;
}

interface Held {
  known: Collected;
  readAt: Instant | undefined;
  isReading: boolean;
}

/** The collections of applications, read from the record when somebody looks at the ledger of one. */
export class Collections {
  readonly #deps: CollectionsDeps;
  readonly #held = new Map<ObjectKey, Held>();
  readonly #listeners = new Set<(application: ObjectKey) => void>();

  constructor(deps: CollectionsDeps) {
    this.#deps = deps;
  }

  /** What is known now; what is not read yet, or long ago, is on its way. */
  of(application: ObjectKey): Collected {
    const held = this.#held.get(application) ?? { known: { revisions: NOTHING, unread: null }, readAt: undefined, isReading: false };
    this.#held.delete(application); // and to the end
    this.#held.set(application, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MAX_KEPT && oldest !== undefined) this.#held.delete(oldest);
    const isOld = held.readAt === undefined || this.#deps.clock.now() - held.readAt >= READ_EVERY_MS;
    if (isOld && !held.isReading) void this.#read(application, held);
    return held.known;
  }

  /** Hears which application's collections are known otherwise. */
  onRead(listener: (application: ObjectKey) => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes an entry in that is on record now. */
  recorded({ action, about }: Pick<RecordEntry, 'action' | 'about'>): void {
    if (action !== PLANNED) return;
    const application = toObjectKey(about);
    const held = this.#held.get(application);
    if (held === undefined) return;
    held.readAt = undefined;
    this.#notify(application);
  }

  async #read(application: ObjectKey, held: Held): Promise<void> {
    held.isReading = true;
    held.readAt = this.#deps.clock.now(); // taken back by what comes on record meanwhile
    const before = held.known;
    try {
      const { namespace = '', name } = parseObjectKey(application);
      const entries = await this.#deps.read({ actions: [PLANNED], about: { namespace, name }, most: MAX_READ });
      const revisions = toCollected(entries);
      const isSame =
        before.unread === null && revisions.length === before.revisions.length && revisions.at(-1)?.at === before.revisions.at(-1)?.at;
      if (!isSame) held.known = { revisions, unread: null };
    } catch (error) {
      held.known = { revisions: before.revisions, unread: messageOf(error) };
    }
    held.isReading = false;
    if (held.known !== before || held.readAt === undefined) this.#notify(application);
  }

  #notify(application: ObjectKey): void {
    for (const listener of this.#listeners) listener(application);
  }
}

/** Collections by the tracker that was collected, oldest first; entries of servers that did not note it are left out. */
export function toCollected(entries: readonly RecordEntry[]): readonly CollectedRevision[] {
  const found = new Map<string, CollectedRevision>();
  for (const { at, about, data = {} } of entries) {
    if (about.kind !== KINDS.application.kind) continue;
    const trackers = texts(data.from);
    const of = (ids: unknown, by: unknown, place: number) => texts(ids).filter((_, index) => (Array.isArray(by) ? by[index] : 0) === place);
    for (const [place, tracker] of trackers.entries()) {
      const before = found.get(tracker);
      found.set(tracker, {
        tracker,
        at: toIso(at),
        deleted: [...(before?.deleted ?? []), ...of(data.deleted, data.deletedBy, place)],
        handedOver: [...(before?.handedOver ?? []), ...of(data.handedOver, data.handedOverBy, place)],
      });
    }
  }
  return [...found.values()];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
