import type { FluxKindName } from './flux-kind';
import { FLUX_KIND_NAMES } from './flux-kind';
import type { InboxQuery } from './inbox/inbox-query';
import { formatInboxQuery, parseInboxQuery } from './inbox/inbox-query';
import type { LedgerQuery } from './lists/ledger-query';
import { formatLedgerQuery, parseLedgerQuery } from './lists/ledger-query';
import type { ListQuery } from './lists/list-query';
import { formatListQuery, parseListQuery } from './lists/list-query';
import type { TreeQuery } from './lists/tree-query';
import { formatTreeQuery, parseMarks, parseTreeQuery } from './lists/tree-query';
import type { ReleaseKindName } from './release-kind';
import { RELEASE_KIND_NAMES } from './release-kind';

/** Lists whose rows are filtered by labels and owner. */
export const LIST_KINDS = ['applications', 'rollouts', 'releases', 'flux-sources', 'trackers'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** Every live view. The text of a topic is its canonical query, so equal views share one computation. */
export const TOPIC_KINDS = [
  'inbox',
  'applications',
  'application',
  'tree',
  'tree-location',
  'tree-facets',
  'graph',
  'ledger',
  'ledger-page',
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
  'facets',
] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

export type Topic =
  | { readonly kind: 'engine' | 'status' }
  | { readonly kind: 'inbox'; readonly query?: InboxQuery }
  | { readonly kind: ListKind | 'strays' | 'activity'; readonly query: ListQuery }
  /** What the rows of a list can be filtered by: the labels and the owners that there are. */
  | { readonly kind: 'facets'; readonly of: ListKind }
  | { readonly kind: 'application' | 'rollout'; readonly ns: string; readonly name: string }
  /** The objects of an application, a page of the list at a time. */
  | { readonly kind: 'tree'; readonly ns: string; readonly name: string; readonly query: TreeQuery }
  /** One of them, and where it stands in the list that the query describes. */
  | { readonly kind: 'tree-location'; readonly ns: string; readonly name: string; readonly id: string; readonly query: TreeQuery }
  /** What they can be filtered by. */
  | { readonly kind: 'tree-facets'; readonly ns: string; readonly name: string }
  /** Their graph; `open` are marks of what is not grouped in it. */
  | { readonly kind: 'graph'; readonly ns: string; readonly name: string; readonly open: readonly string[] }
  /** What its revisions recorded, own and handed over, and a page of the objects. */
  | { readonly kind: 'ledger'; readonly ns: string; readonly name: string }
  | { readonly kind: 'ledger-page'; readonly ns: string; readonly name: string; readonly query: LedgerQuery }
  /** A resource that declares a release: its kind as in an address, `helmrelease` for example. */
  | { readonly kind: 'release'; readonly ns: string; readonly of: ReleaseKindName; readonly name: string }
  /** An object of Flux: its kind as in an address, `gitrepository` for example. */
  | { readonly kind: 'flux'; readonly ns: string; readonly of: FluxKindName; readonly name: string }
  | { readonly kind: 'tracker'; readonly name: string };

/** A list that is narrowed by everything at once, encoded. */
export const LONGEST_TOPIC = 4000;

/** The canonical text: members in fixed order, defaults left out. */
export function formatTopic(topic: Topic): string {
  switch (topic.kind) {
    case 'engine':
    case 'status':
      return topic.kind;
    case 'inbox':
      return withQuery(topic.kind, formatInboxQuery(topic.query ?? {}));
    case 'application':
    case 'rollout':
    case 'ledger':
    case 'tree-facets':
      return `${topic.kind}/${topic.ns}/${topic.name}`;
    case 'release':
    case 'flux':
      return `${topic.kind}/${topic.ns}/${topic.of}/${topic.name}`;
    case 'tracker':
      return `tracker/${topic.name}`;
    case 'facets':
      return `facets/${topic.of}`;
    case 'tree':
    case 'tree-location':
    case 'graph':
    case 'ledger-page':
      return formatOfApplication(topic);
    default:
      return withQuery(topic.kind, formatListQuery(topic.query));
  }
}

type OfApplication = 'tree' | 'tree-location' | 'graph' | 'ledger-page';

function formatOfApplication(topic: Topic & { readonly kind: OfApplication }): string {
  const asked = formatAsked(topic);
  const picked = topic.kind === 'tree-location' ? new URLSearchParams({ id: topic.id }).toString() : '';
  const text = [picked, asked].filter((part) => part !== '').join('&');
  return withQuery(`${topic.kind}/${topic.ns}/${topic.name}`, text);
}

function formatAsked(topic: Topic & { readonly kind: OfApplication }): string {
  if (topic.kind === 'graph') return topic.open.length === 0 ? '' : `open=${topic.open.join('.')}`;
  return topic.kind === 'ledger-page' ? formatLedgerQuery(topic.query) : formatTreeQuery(topic.query);
}

const withQuery = (topic: string, query: string) => (query === '' ? topic : `${topic}?${query}`);

/** A topic's kind by its name, or by the name that it had in the release before. */
function topicKindOf(name: string | undefined): TopicKind | undefined {
  return name === 'tree-spot' ? 'tree-location' : TOPIC_KINDS.find((kind) => kind === name);
}

/** Reads a topic's text; undefined for anything that is none, so that a hostile client gets a refusal and no more. */
export function parseTopic(text: string): Topic | undefined {
  if (text.length > LONGEST_TOPIC) return undefined;
  const mark = text.indexOf('?');
  const parts = (mark < 0 ? text : text.slice(0, mark)).split('/');
  const kind = topicKindOf(parts[0]);
  if (kind === undefined || parts.slice(1).some((part) => part === '')) return undefined;
  const [, first, second] = parts;
  const params = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1));
  switch (kind) {
    case 'engine':
    case 'status':
      return parts.length === 1 ? { kind } : undefined;
    case 'inbox':
      return parseInbox(parts, params);
    case 'application':
    case 'rollout':
    case 'ledger':
    case 'tree-facets':
      return parts.length === 3 && first && second ? { kind, ns: first, name: second } : undefined;
    case 'tree':
    case 'tree-location':
    case 'graph':
    case 'ledger-page':
      return parseOfApplication(kind, parts, params);
    case 'release':
    case 'flux':
      return parseOfKind(kind, parts);
    case 'tracker':
      return parts.length === 2 && first ? { kind, name: first } : undefined;
    case 'facets': {
      const of = parts.length === 2 ? LIST_KINDS.find((list) => list === first) : undefined;
      return of && { kind, of };
    }
    default:
      return parts.length === 1 ? { kind, query: parseListQuery(params) } : undefined;
  }
}

function parseInbox(parts: readonly string[], params: URLSearchParams): Topic | undefined {
  if (parts.length > 1) return undefined;
  const query = parseInboxQuery(params);
  return Object.keys(query).length === 0 ? { kind: 'inbox' } : { kind: 'inbox', query };
}

function parseOfApplication(kind: OfApplication, [, ns, name, ...rest]: readonly string[], params: URLSearchParams): Topic | undefined {
  if (!ns || !name || rest.length > 0) return undefined;
  if (kind === 'graph') return { kind, ns, name, open: parseMarks(params.get('open')) };
  if (kind === 'tree') return { kind, ns, name, query: parseTreeQuery(params) };
  if (kind === 'ledger-page') return { kind, ns, name, query: parseLedgerQuery(params) };
  const id = params.get('id');
  return id ? { kind, ns, name, id, query: parseTreeQuery(params) } : undefined;
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
