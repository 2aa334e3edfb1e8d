import type { KubeObject } from '@/lib/kube/object';
import type { LabelSelector } from './label-selector';

type Labelled = ReadonlyMap<string, readonly KubeObject[]>;

/** What one list told, found by name or by labels without going through all of it each time. */
export class ListedObjects {
  readonly #objects: readonly KubeObject[];
  readonly #byLabel = new Map<string, Labelled>();
  #byName: ReadonlyMap<string, KubeObject> | undefined;

  constructor(objects: readonly KubeObject[]) {
    this.#objects = objects;
  }

  /** The first object of that name. */
  get(name: string): KubeObject | undefined {
    this.#byName ??= indexByName(this.#objects);
    return this.#byName.get(name);
  }

  /** Selected objects in the order of the list. */
  select(selector: LabelSelector): readonly KubeObject[] {
    let candidates = this.#objects;
    for (const [key, value] of selector.pairs) {
      const narrower = this.#labelled(key).get(value) ?? [];
      if (narrower.length < candidates.length) candidates = narrower;
    }
    return candidates.filter((object) => selector.matches(object.metadata.labels));
  }

  #labelled(key: string): Labelled {
    const known = this.#byLabel.get(key) ?? indexByLabel(this.#objects, key);
    this.#byLabel.set(key, known);
    return known;
  }
}

function indexByName(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  const index = new Map<string, KubeObject>();
  for (const object of objects) {
    const { name = '' } = object.metadata;
    if (!index.has(name)) index.set(name, object);
  }
  return index;
}

function indexByLabel(objects: readonly KubeObject[], key: string): Labelled {
  const index = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const { labels = {} } = object.metadata;
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) continue;
    const filed = index.get(value);
    if (filed === undefined) index.set(value, [object]);
    else filed.push(object);
  }
  return index;
}
