import type { DeclaredBefore } from '@/lib/contract/undeclared-releases';
import { toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import type { LiveObjects } from '../cluster/live-objects';
import type { NewestRevision } from '../helm/storage';
import { readMark } from '../model/declared';
import { releaseKey } from '../model/release';
import { actOn } from './acts';

/** Each is a payload that is decoded and an object that is read; of more releases nothing is told. */
const MOST_KEPT = 1000;

/**
 * Which resource declared a release that none declares now. Chart sync marks what it releases with that; where the resource was deleted while nothing ran,
 * the mark is all that is left of it. Read once per stored revision.
 */
export class DeclaredBeforeReader {
  readonly #live: Pick<LiveObjects, 'readMarks'>;
  readonly #stores: readonly Store[];
  readonly #marks = new Map<string, { readonly version: string; readonly marks: Readonly<Record<string, string>> }>();

  constructor(live: Pick<LiveObjects, 'readMarks'>, stores: readonly Store[]) {
    this.#live = live;
    this.#stores = stores;
  }

  /** Null where none is known. An object that cannot be read tells of none, and is asked again. */
  async of({ release, version }: Pick<NewestRevision, 'release' | 'version'>): Promise<DeclaredBefore | null> {
    const key = releaseKey(release);
    const known = this.#marks.get(key);
    const marks = known?.version === version ? known.marks : await this.#live.readMarks(actOn(release)).catch(() => undefined);
    if (marks !== undefined) this.#keep(key, { version, marks });
    const at = readMark(marks ?? {});
    if (at === undefined) return null;
    const { kind, namespace = '', name } = at;
    return {
      kind,
      ns: namespace,
      name,
      exists: this.#stores.some((store) => store.scope.kind === kind && store.get(toObjectKey(at)) !== undefined),
    };
  }

  #keep(key: string, read: { readonly version: string; readonly marks: Readonly<Record<string, string>> }): void {
    this.#marks.delete(key);
    this.#marks.set(key, read);
    if (this.#marks.size > MOST_KEPT) this.#marks.delete(this.#marks.keys().next().value ?? '');
  }
}
