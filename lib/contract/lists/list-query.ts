/** Filter, order and page of a list. Page numbers start at 0. */
export interface ListQuery {
  /** Namespaces, any of which will do. */
  readonly ns?: readonly string[];
  readonly q?: string;
  /** Statuses, any of which will do. */
  readonly health?: readonly string[];
  /** A label selector, as `kubectl -l` takes it. */
  readonly labels?: string;
  /** Owners, any of which will do: whole, or their kind alone; `none` is of what nothing owns. */
  readonly owner?: readonly string[];
  /** Only what is not as it is wanted. */
  readonly drifted?: boolean;
  readonly sort?: string;
  readonly desc?: boolean;
  readonly page?: number;
  readonly size?: number;
}

export const MAX_PAGE_SIZE = 200;
/** Of the owner filter: what nothing owns. */
export const NO_OWNER = 'none';
const DEFAULT_PAGE_SIZE = 50;
/** Characters of one member, and values that a member lists. */
export const LONGEST = 500;
const MAX_VALUES = 30;

/** The canonical text: members in fixed order, defaults left out. */
export function formatListQuery(query: ListQuery): string {
  const text = new URLSearchParams();
  if (query.ns?.length) text.set('ns', query.ns.join(','));
  if (query.q) text.set('q', query.q);
  if (query.health?.length) text.set('health', query.health.join(','));
  if (query.labels) text.set('labels', query.labels);
  if (query.owner?.length) text.set('owner', query.owner.join(','));
  if (query.drifted) text.set('drifted', '1');
  if (query.sort) text.set('sort', query.sort);
  if (query.desc) text.set('desc', '1');
  if (query.page) text.set('page', String(query.page));
  if (query.size && query.size !== DEFAULT_PAGE_SIZE) text.set('size', String(query.size));
  return text.toString();
}

/** Reads filter, order and page; numbers out of range fall back to the nearest allowed. A selector is taken as it is written. */
export function parseListQuery(params: URLSearchParams): ListQuery {
  const text = (name: string) => params.get(name)?.slice(0, LONGEST) || undefined;
  const page = Math.floor(Number(params.get('page') ?? 0));
  const size = Math.floor(Number(params.get('size') ?? DEFAULT_PAGE_SIZE));
  const [ns, health, owner] = [parseValues(text('ns')), parseValues(text('health')), parseValues(text('owner'))];
  const [q, labels, sort] = [text('q'), text('labels')?.trim(), text('sort')];
  return {
    ...(ns.length > 0 ? { ns } : {}),
    ...(q ? { q } : {}),
    ...(health.length > 0 ? { health } : {}),
    ...(labels ? { labels } : {}),
    ...(owner.length > 0 ? { owner } : {}),
    ...(params.get('drifted') === '1' ? { drifted: true } : {}),
    ...(sort ? { sort } : {}),
    ...(params.get('desc') === '1' ? { desc: true } : {}),
    ...(page > 0 && page < 1e6 ? { page } : {}),
    size: size > 0 ? Math.min(size, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE,
  };
}

/** True where a list is narrowed by anything. */
export function isFiltered({ ns, q, health, labels, owner, drifted }: ListQuery): boolean {
  return Boolean(ns ?? q ?? health ?? labels ?? owner ?? drifted);
}

/** The values of a member, parted by commas: no name of Kubernetes has one. In one order, so that equal views are one. */
export function parseValues(text: string | undefined): readonly string[] {
  const values = (text ?? '').split(',').map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ''))].sort().slice(0, MAX_VALUES);
}
