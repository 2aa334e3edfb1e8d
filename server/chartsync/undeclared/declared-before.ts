import type { DeclaredBefore } from '@/lib/contract/undeclared-releases';
import { nameOfKind } from '@/lib/kube/kinds';
import type { ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import type { LiveObjects } from '../cluster/live-objects';
import { storeOf } from '../cluster/resources';
import type { ReconcileHistory } from '../describe/reconcile-history';
import type { NewestRevision } from '../helm/storage';
import { readMark } from '../model/declared';
import { releaseKey } from '../model/release';
import { actOn } from './acts';
import type { IsUndefined } from './listed';
import { isUnread } from './listed';

interface BeforeDeps {
  readonly stores: readonly Store[];
  readonly journal: Pick<ReconcileHistory, 'deletions' | 'loops'>;
  readonly isUndefined: IsUndefined;
}

/** Each is a payload that is decoded and an object that is read; of more releases nothing is told. */
const MAX_KEPT = 1000;

/**
 * Which resource declared a release that none declares now. Chart sync marks what it releases with that; where the resource was deleted while nothing ran,
 * the mark is all that is left of it. Read once per stored revision.
 */
export class DeclaredBeforeReader {
  readonly #live: Pick<LiveObjects, 'readMarks'>;
  readonly #deps: BeforeDeps;
  readonly #marks = new Map<string, { readonly version: string; readonly marks: Readonly<Record<string, string>> }>();

  constructor(live: Pick<LiveObjects, 'readMarks'>, deps: BeforeDeps) {
    this.#live = live;
    this.#deps = deps;
  }

  /** Tells of releases whose storage is read after this: one that is uninstalled meanwhile was being so. */
  begin(): (newest: NewestRevision) => Promise<DeclaredBefore | null> {
    const deletions = this.#deps.journal.deletions();
    return (newest) => this.#of(newest, deletions);
  }

  /** Null where none is known. An object that cannot be read tells of none, and is asked again. */
  async #of(newest: NewestRevision, deletions: ReadonlyMap<string, ObjectAddress>): Promise<DeclaredBefore | null> {
    const { release, entry } = newest;
    const { stores, journal, isUndefined } = this.#deps;
    const deleted = deletions.get(releaseKey(release)) ?? journal.deletions().get(releaseKey(release));
    const at = deleted ?? readMark((await this.#marksOf(newest)) ?? {});
    if (at === undefined) return null;
    const { namespace = '', name } = at;
    const store = storeOf(stores, at);
    const exists = store?.get(toObjectKey(at)) !== undefined;
    // Another replica that uninstalls it tells so by what Helm stores; this one knows whether it still does.
    const isElsewhere = journal.loops().kind === 'elsewhere' && entry.status === 'uninstalling';
    const isUninstalling = !exists && (deleted !== undefined || isElsewhere);
    const unread = store !== undefined && (await isUnread(store, isUndefined)) ? { isUnread: true } : {};
    return { kind: nameOfKind(at), ns: namespace, name, exists, ...unread, isUninstalling };
  }

  /** What an object is marked with once Helm uninstalls it was marked before. */
  async #marksOf({ release, version, entry: { status } }: NewestRevision): Promise<Readonly<Record<string, string>> | undefined> {
    const key = releaseKey(release);
    const known = this.#marks.get(key);
    if (known !== undefined && (known.version === version || status === 'uninstalling')) return known.marks;
    const marks = await this.#live.readMarks(actOn(release)).catch(() => undefined);
    if (marks !== undefined) this.#keep(key, { version, marks });
    return marks;
  }

  #keep(key: string, read: { readonly version: string; readonly marks: Readonly<Record<string, string>> }): void {
    this.#marks.delete(key);
    this.#marks.set(key, read);
    if (this.#marks.size > MAX_KEPT) this.#marks.delete(this.#marks.keys().next().value ?? '');
  }
}
