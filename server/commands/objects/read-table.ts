import { AppError } from '@/lib/contract/app-error';
import type { ObjectTable, TableRow } from '@/lib/contract/object-rows';
import { MOST_LOOKED_THROUGH, TABLE_PAGE } from '@/lib/contract/object-rows';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { hideCredentials } from '@/lib/kube/mask';
import { stringifyExact } from '@/lib/std/exact-json';
import { toIso } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { ApiResource, Cluster, NamedKind } from '@/server/kube';
import { collectionPath, findResource } from '@/server/kube';
import type { CommandDeps } from '../command-deps';
import { readAnswer } from './read-answer';
import { toKindRow } from './read-kinds';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const SCAN_PAGE = 500;

/** What a table shows. */
export interface TableQuery {
  readonly ns?: string | undefined;
  /** A label selector. */
  readonly labels?: string | undefined;
  /** A part of the name. */
  readonly q?: string | undefined;
  /** Where an earlier answer ended. */
  readonly next?: string | undefined;
  /** Nobody waits for the answer once it aborts. */
  readonly signal?: AbortSignal | undefined;
}

interface Page {
  readonly columns: ObjectTable['columns'];
  readonly rows: readonly TableRow[];
  readonly next: string | null;
  readonly remaining: number | null;
}

/**
 * Objects of a kind as the API server prints them, read as the person. Nothing is cached: it is as old as the answer. A part of a name is looked for
 * here, since the server looks for whole ones only; the look ends after some thousand objects, and goes on where it ended.
 */
export async function readTable(deps: CommandDeps, session: Session, of: NamedKind, query: TableQuery): Promise<ObjectTable> {
  await deps.auth.authorise(session, { kind: 'view-kind', verb: 'list', of, ns: query.ns });
  const resource = await findResource(deps.cluster.discovery, of);
  if (!resource.verbs.includes('list'))
    throw new AppError('rejected', `${resource.plural} cannot be listed: the cluster offers ${resource.verbs.join(', ')}`);
  const cluster = deps.cluster.as(session.person);
  const page =
    query.q === undefined ? await readPage(cluster, resource, query, TABLE_PAGE) : await lookThrough(cluster, resource, query, query.q);
  return { of: toKindRow(resource), looked: null, ...page, rows: [...page.rows], readAt: toIso(deps.clock.now()) };
}

async function lookThrough(
  cluster: Cluster,
  resource: ApiResource,
  query: TableQuery,
  q: string,
): Promise<Page & { readonly looked: number | null }> {
  const wanted = q.toLowerCase();
  const found: TableRow[] = [];
  let looked = 0;
  let { next } = query;
  for (;;) {
    query.signal?.throwIfAborted();
    const page = await readPage(cluster, resource, { ...query, next }, SCAN_PAGE);
    looked += page.rows.length;
    found.push(...page.rows.filter(({ name }) => name.toLowerCase().includes(wanted)));
    const isEnough = found.length >= TABLE_PAGE || looked >= MOST_LOOKED_THROUGH;
    if (page.next === null || isEnough) return { ...page, rows: found, remaining: null, looked: page.next === null ? null : looked };
    next = page.next;
  }
}

async function readPage(cluster: Cluster, resource: ApiResource, { ns, labels, next }: TableQuery, limit: number): Promise<Page> {
  const path = collectionPath(resource, ns, { limit, labelSelector: labels, continue: next, includeObject: 'Metadata' });
  const body = await readAnswer(cluster, path, { accept: TABLE, what: `list ${resource.plural}` });
  const isTable = readString(body, 'kind') === 'Table';
  const columns = isTable ? readList(body, 'columnDefinitions').map(toColumn) : [NAME, AGE];
  const rows = isTable
    ? readList(body, 'rows').flatMap((row) => toRow(readField(row, 'object', 'metadata'), readList(row, 'cells')))
    : readList(body, 'items').flatMap((item) => toRow(readField(item, 'metadata'), [readString(item, 'metadata', 'name'), '']));
  return {
    columns,
    rows,
    next: readString(body, 'metadata', 'continue') || null,
    remaining: readNumber(body, 'metadata', 'remainingItemCount') ?? null,
  };
}

// For a server beside the API server that prints no tables.
const NAME = { name: 'Name', type: 'string', description: '', priority: 0 };
const AGE = { name: 'Age', type: 'string', description: '', priority: 0 };

function toColumn(column: unknown): ObjectTable['columns'][number] {
  return {
    name: readString(column, 'name') ?? '',
    type: readString(column, 'type') ?? 'string',
    description: readString(column, 'description') ?? '',
    priority: readNumber(column, 'priority') ?? 0,
  };
}

function toRow(metadata: unknown, cells: readonly unknown[]): readonly TableRow[] {
  const name = readString(metadata, 'name');
  if (name === undefined) return [];
  const ns = readString(metadata, 'namespace') ?? null;
  const row = {
    key: `${ns ?? ''}/${name}`,
    ns,
    name,
    uid: readString(metadata, 'uid') ?? null,
    createdAt: readString(metadata, 'creationTimestamp') ?? null,
  };
  return [{ ...row, deleting: readString(metadata, 'deletionTimestamp') !== undefined, cells: cells.map(toCell) }];
}

function toCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return hideCredentials(typeof cell === 'object' ? stringifyExact(cell) : String(cell));
}
