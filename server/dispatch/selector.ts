import type { KubeObject } from '@/lib/kube/object';
import { LABEL } from './labels';
import type { TrackerEntry } from './tracker/record';

/** Which objects of an application a rule is about. Kinds of conditions are joined by and, values of one by or; without any it selects nothing. */
export interface ResourceSelector {
  readonly componentNames?: readonly string[] | undefined;
  readonly componentTypes?: readonly string[] | undefined;
  readonly oamTypes?: readonly string[] | undefined;
  readonly traitTypes?: readonly string[] | undefined;
  readonly resourceTypes?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/** What a selector looks at. */
export type Subject = Readonly<Record<keyof ResourceSelector, string | undefined>>;

/** True when every condition of the selector holds, and it has one. */
export function selects(selector: ResourceSelector, subject: Subject): boolean {
  const conditions = (Object.keys(subject) as (keyof ResourceSelector)[]).filter((condition) => selector[condition] !== undefined); // Subject has exactly these members
  return conditions.length > 0 && conditions.every((condition) => selector[condition]?.includes(subject[condition] ?? ''));
}

/** A rendered manifest, or an object as it lives, as selectors see it. */
export function subjectOf({ kind, metadata: { name, labels = {} } }: Pick<KubeObject, 'kind' | 'metadata'>): Subject {
  const origin = labels[LABEL.resourceType];
  return {
    componentNames: labels[LABEL.component],
    componentTypes: labels[LABEL.workloadType],
    oamTypes: origin === 'WORKLOAD' ? 'COMPONENT' : origin,
    traitTypes: labels[LABEL.traitType],
    resourceTypes: kind,
    resourceNames: name,
  };
}

/** A recorded object as selectors see it: what the record does not say is read off the object. */
export function subjectOfEntry({ kind, name, component, trait, raw }: TrackerEntry, live: KubeObject | undefined): Subject {
  const recorded = raw as KubeObject | undefined; // records hold manifests of ours
  const seen = subjectOf(recorded?.metadata === undefined ? { kind, metadata: live?.metadata ?? {} } : recorded);
  return {
    ...seen,
    componentNames: component || seen.componentNames,
    traitTypes: trait ?? seen.traitTypes,
    resourceTypes: kind,
    resourceNames: name,
  };
}
