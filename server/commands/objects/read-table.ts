import { AppError } from '@/lib/contract/app-error';
import { metadataFilter } from '@/lib/contract/lists/metadata-filter';
import type { ObjectTable, TableRow } from '@/lib/contract/object-rows';
import { MAX_SCANNED, TABLE_PAGE } from '@/lib/contract/object-rows';
import type { Fields } from '@/lib/kube/fields';
import { readBoolean, readField, readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { formatOwner, ownerOf } from '@/lib/kube/labels/object-owner';
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
  /** Owners, any of which will do. */
  readonly owner?: readonly string[] | undefined;
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
 * Objects of a kind as the API server prints them, read as the person. Nothing is cached: it is as old as the answer. A part of a name and an owner are
 * looked for here, since the API server looks for whole names only; the look ends after some thousand objects, and goes on where it ended.
 */
export async function readTable(deps: CommandDeps, session: Session, of: NamedKind, query: TableQuery): Promise<ObjectTable> {
  await deps.auth.authorise(session, { kind: 'view-kind', verb: 'list', of, ns: query.ns });
  const resource = await findResource(deps.cluster.discovery, of);
  if (!resource.verbs.includes('list'))
    throw new AppError('rejected', `${resource.plural} cannot be listed: the cluster offers ${resource.verbs.join(', ')}`);
  const cluster = deps.cluster.as(session.person);
  const isWanted = filterOf(query);
  const { scanned, ...page } =
    isWanted === undefined
      ? { ...(await readPage(cluster, resource, query, TABLE_PAGE)), scanned: null }
      : await scan({ cluster, resource, isWanted }, query);
  return { of: toKindRow(resource), ...page, scanned, looked: scanned, rows: [...page.rows], readAt: toIso(deps.clock.now()) };
}

type RowFilter = (row: TableRow) => boolean;

/** By what the API server does not filter; undefined where none of it is asked for. */
function filterOf({ q, owner }: TableQuery): RowFilter | undefined {
  const hasOwner = owner === undefined || owner.length === 0 ? undefined : metadataFilter({ owner });
  if (q === undefined) return hasOwner && ((row) => hasOwner({ labels: {}, owner: row.owner }));
  const wanted = q.toLowerCase();
  return ({ name, owner: own }) => name.toLowerCase().includes(wanted) && hasOwner?.({ labels: {}, owner: own }) !== false;
}

interface Scan {
  readonly cluster: Cluster;
  readonly resource: ApiResource;
  readonly isWanted: RowFilter;
}

async function scan({ cluster, resource, isWanted }: Scan, query: TableQuery): Promise<Page & { readonly scanned: number | null }> {
  const found: TableRow[] = [];
  let scanned = 0;
  let { next } = query;
  for (;;) {
    query.signal?.throwIfAborted();
    const page = await readPage(cluster, resource, { ...query, next }, SCAN_PAGE);
    scanned += page.rows.length;
    found.push(...page.rows.filter(isWanted));
    const isEnough = found.length >= TABLE_PAGE || scanned >= MAX_SCANNED;
    if (page.next === null || isEnough) return { ...page, rows: found, remaining: null, scanned: page.next === null ? null : scanned };
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
    owner: ownerIn(metadata),
  };
  return [{ ...row, deleting: readString(metadata, 'deletionTimestamp') !== undefined, cells: cells.map(toCell) }];
}

/** The owner by metadata that nobody has checked yet. */
function ownerIn(metadata: unknown): string | null {
  const ownerReferences = readList(metadata, 'ownerReferences').flatMap((reference) => {
    const text = (member: string) => readString(reference, member) ?? '';
    const [kind, name] = [text('kind'), text('name')];
    const controller = readBoolean(reference, 'controller') === true;
    return kind && name ? [{ apiVersion: text('apiVersion'), kind, name, uid: text('uid'), controller }] : [];
  });
  const namespace = readString(metadata, 'namespace');
  const owner = ownerOf({
    ...(namespace === undefined ? {} : { namespace }),
    labels: textsIn(readFields(metadata, 'labels')),
    annotations: textsIn(readFields(metadata, 'annotations')),
    ownerReferences,
  });
  return owner === null ? null : formatOwner(owner);
}

function textsIn(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

function toCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return hideCredentials(typeof cell === 'object' ? stringifyExact(cell) : String(cell));
}
