import type { FluxKindName } from './flux-kind';
import { FLUX_KIND_NAMES } from './flux-kind';
import type { ReleaseKindName } from './release-kind';
import { RELEASE_KIND_NAMES } from './release-kind';

/** Every live view. The text of a topic is its canonical query, so equal views share one computation. */
export const TOPIC_KINDS = [
  'inbox',
  'applications',
  'application',
  'rollouts',
  'rollout',
  'releases',
  'release',
  'flux',
  'flux-sources',
  'trackers',
  'tracker',
  'strays',
  'activity',
  'engine',
  'status',
] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

/** Filter, order and page of a list. Page numbers start at 0. */
export interface ListQuery {
  readonly ns?: string;
  readonly q?: string;
  readonly health?: string;
  /** Only what is not as it is wanted. */
  readonly drifted?: boolean;
  readonly sort?: string;
  readonly desc?: boolean;
  readonly page?: number;
  readonly size?: number;
}

export type Topic =
  | { readonly kind: 'inbox' | 'engine' | 'status' }
  | { readonly kind: 'applications' | 'rollouts' | 'releases' | 'flux-sources' | 'trackers' | 'strays' | 'activity'; readonly query: ListQuery }
  | { readonly kind: 'application' | 'rollout'; readonly ns: string; readonly name: string }
  /** A resource that declares a release: its kind as in an address, `helmrelease` for example. */
  | { readonly kind: 'release'; readonly ns: string; readonly of: ReleaseKindName; readonly name: string }
  /** An object of Flux: its kind as in an address, `gitrepository` for example. */
  | { readonly kind: 'flux'; readonly ns: string; readonly of: FluxKindName; readonly name: string }
  | { readonly kind: 'tracker'; readonly name: string };

export const MAX_PAGE_SIZE = 200;
const DEFAULT_PAGE_SIZE = 50;

/** The canonical text: members in fixed order, defaults left out. */
export function formatTopic(topic: Topic): string {
  switch (topic.kind) {
    case 'inbox':
    case 'engine':
    case 'status':
      return topic.kind;
    case 'application':
    case 'rollout':
      return `${topic.kind}/${topic.ns}/${topic.name}`;
    case 'release':
    case 'flux':
      return `${topic.kind}/${topic.ns}/${topic.of}/${topic.name}`;
    case 'tracker':
      return `tracker/${topic.name}`;
    default:
      return formatList(topic.kind, topic.query);
  }
}

function formatList(kind: string, query: ListQuery): string {
  const text = new URLSearchParams();
  if (query.ns) text.set('ns', query.ns);
  if (query.q) text.set('q', query.q);
  if (query.health) text.set('health', query.health);
  if (query.drifted) text.set('drifted', '1');
  if (query.sort) text.set('sort', query.sort);
  if (query.desc) text.set('desc', '1');
  if (query.page) text.set('page', String(query.page));
  if (query.size && query.size !== DEFAULT_PAGE_SIZE) text.set('size', String(query.size));
  const params = text.toString();
  return params === '' ? kind : `${kind}?${params}`;
}

/** Reads a topic's text; undefined for anything that is none, so that a hostile client gets a refusal and no more. */
export function parseTopic(text: string): Topic | undefined {
  if (text.length > 600) return undefined;
  const mark = text.indexOf('?');
  const parts = (mark < 0 ? text : text.slice(0, mark)).split('/');
  const kind = parts[0] as TopicKind;
  if (!TOPIC_KINDS.includes(kind) || parts.slice(1).some((part) => part === '')) return undefined;
  const [, first, second] = parts;
  switch (kind) {
    case 'inbox':
    case 'engine':
    case 'status':
      return parts.length === 1 ? { kind } : undefined;
    case 'application':
    case 'rollout':
      return parts.length === 3 && first && second ? { kind, ns: first, name: second } : undefined;
    case 'release':
    case 'flux':
      return parseOfKind(kind, parts);
    case 'tracker':
      return parts.length === 2 && first ? { kind, name: first } : undefined;
    default:
      return parts.length === 1 ? { kind, query: parseListQuery(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1))) } : undefined;
  }
}

/** Of objects of several kinds that one page shows the kind is named. */
function parseOfKind(kind: 'release' | 'flux', [, ns = '', written, name = '', ...rest]: readonly string[]): Topic | undefined {
  if (name === '' || rest.length > 0) return undefined;
  if (kind === 'flux') {
    const of = FLUX_KIND_NAMES.find((known) => known === written);
    return of && { kind, ns, of, name };
  }
  const of = RELEASE_KIND_NAMES.find((known) => known === written);
  return of && { kind, ns, of, name };
}

/** Reads filter, order and page; numbers out of range fall back to the nearest allowed. */
export function parseListQuery(params: URLSearchParams): ListQuery {
  const text = (name: string) => params.get(name)?.slice(0, 200) || undefined;
  const page = Math.floor(Number(params.get('page') ?? 0));
  const size = Math.floor(Number(params.get('size') ?? DEFAULT_PAGE_SIZE));
  const [ns, q, health, sort] = [text('ns'), text('q'), text('health'), text('sort')];
  return {
    ...(ns ? { ns } : {}),
    ...(q ? { q } : {}),
    ...(health ? { health } : {}),
    ...(params.get('drifted') === '1' ? { drifted: true } : {}),
    ...(sort ? { sort } : {}),
    ...(params.get('desc') === '1' ? { desc: true } : {}),
    ...(page > 0 && page < 1e6 ? { page } : {}),
    size: size > 0 ? Math.min(size, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE,
  };
}
