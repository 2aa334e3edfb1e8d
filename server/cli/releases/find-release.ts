import { snapshotOf } from '@/lib/contract/live';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { releaseRow } from '@/lib/contract/release-rows';
import type { Client } from '../client';

const PAGE = 200;

/** A release as somebody names it: by its resource, whose kind matters where two have the name. */
export interface ReleaseName {
  readonly namespace: string;
  readonly kind?: string;
}

/** The release that a resource declares; an error says what is there instead. */
export async function findRow(client: Client, name: string, { namespace, kind }: ReleaseName): Promise<ReleaseRow> {
  const query = new URLSearchParams({ ns: namespace, q: `${namespace}/${name}`, size: String(PAGE) });
  const { rows } = await client.read(`/api/v1/releases?${query}`, snapshotOf(releaseRow));
  const named = rows.filter((row) => row.name === name && (kind === undefined || row.kind === kind.toLowerCase()));
  const own = named.filter(({ flux }) => flux === null);
  const [only, second] = own;
  if (only === undefined && named.length > 0)
    throw new Error(`release ${name} in ${namespace} is driven by Flux; the console shows it and passes requests on to Flux`);
  if (only === undefined) throw new Error(`no resource ${name} in ${namespace} declares a Helm release`);
  if (second !== undefined)
    throw new Error(
      `several resources ${name} in ${namespace} declare releases; choose one with --kind: ${own.map((row) => row.kind).join(', ')}`,
    );
  return only;
}

/** Path of a part of a release in the API. */
export const pathOf = ({ ns, kind, name }: Pick<ReleaseRow, 'ns' | 'kind' | 'name'>, part = '') =>
  `/api/v1/namespaces/${ns}/releases/${name}${part}?kind=${kind}`;

/** Path of a release that no resource declares. */
export const undeclaredPath = ({ ns, name }: Pick<ReleaseRow, 'ns' | 'name'>) =>
  `/api/v1/namespaces/${encodeURIComponent(ns)}/undeclared-releases/${encodeURIComponent(name)}`;
