import { FLUX_KIND_NAMES } from '@/lib/contract/flux-kind';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import type { Topic } from '@/lib/contract/topic';

/** Lists and their pages; the rest of a path names one object. */
const LISTS: Readonly<Record<string, Topic>> = {
  '': { kind: 'inbox' },
  activity: { kind: 'activity', query: {} },
  applications: { kind: 'applications', query: {} },
  engine: { kind: 'engine' },
  releases: { kind: 'releases', query: {} },
  'releases/sources': { kind: 'flux-sources', query: {} },
  rollouts: { kind: 'rollouts', query: {} },
  // From the record, so whoever may see that may see this.
  'rollouts/history': { kind: 'activity', query: {} },
  trackers: { kind: 'trackers', query: {} },
  'trackers/strays': { kind: 'strays', query: {} },
};

/** What the page at a path shows first, as a topic; undefined for a page that is about none. Throws for a path that cannot be decoded. */
export function pageTopic(pathname: string): Topic | undefined {
  const path = pathname.replace(/^\/|\/$/g, '');
  const list = Object.hasOwn(LISTS, path) ? LISTS[path] : undefined;
  if (list !== undefined) return list;
  const [root, ...names] = path.split('/').map((part) => decodeURIComponent(part));
  if (names.some((name) => name === '')) return undefined;
  const [first, second, third] = names;
  switch (root) {
    case 'applications':
      return first && second ? { kind: 'application', ns: first, name: second } : undefined;
    case 'rollouts':
      return first && second ? { kind: 'rollout', ns: first, name: second } : undefined;
    case 'trackers':
      return first ? { kind: 'tracker', name: first } : undefined;
    case 'releases':
      return first && second && third ? releaseTopic(first, second, third) : undefined;
    default:
      return undefined;
  }
}

function releaseTopic(ns: string, written: string, name: string): Topic | undefined {
  const flux = FLUX_KIND_NAMES.find((known) => known === written);
  if (flux !== undefined) return { kind: 'flux', ns, of: flux, name };
  const of = RELEASE_KIND_NAMES.find((known) => known === written);
  return of && { kind: 'release', ns, of, name };
}
