import type { ChangeRow, ChangeVerdict } from '@/lib/contract/change-rows';
import { MASK } from '@/lib/kube/mask';
import { describeObject, groupOf } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import type { AccessRight } from '@/server/kube';
import { isNoMatch, toKindRef } from '@/server/kube';
import type { CommandDeps } from './command-deps';
import { holdsRight } from './permit-contents';

/** Where a right is not held for all objects of a kind, so many are asked about by name; the rest is masked. */
const MAX_NAMED = 100;

const WHAT: Readonly<Record<ChangeVerdict, string>> = {
  refused: 'it is refused',
  deleted: 'it is deleted',
  held: 'a safety rule holds it',
  changed: 'it is changed',
  new: 'it is created',
  'handed-over': 'it is already as written',
  kept: 'it is kept',
  gone: 'it is already gone',
  unknown: 'its state is unknown',
};

/** The rows as somebody may see them: what they may not get counts with its kind and verdict, and tells neither name nor content. */
export async function maskRows(deps: CommandDeps, session: Session, rows: readonly ChangeRow[]): Promise<readonly ChangeRow[]> {
  const may = new Map<string, boolean>();
  const named = new Map<string, number>();
  const masked: ChangeRow[] = [];
  for (const row of rows) {
    const right = await rightTo(deps, row);
    const key = `${right.group}/${right.resource}/${right.namespace ?? ''}`;
    if (!may.has(key)) may.set(key, await holdsRight(deps, session, right));
    const isSeen = may.get(key) === true || (await holdsByName(key, right, row.name));
    masked.push(isSeen ? row : mask(row, masked.length));
  }
  return masked;

  async function holdsByName(key: string, right: AccessRight, name: string): Promise<boolean> {
    const asked = named.get(key) ?? 0;
    named.set(key, asked + 1);
    return asked < MAX_NAMED && holdsRight(deps, session, { ...right, name });
  }
}

/** How sentences about the whole read for somebody who sees the rows as they were masked: they may name an object as well. */
export function sentenceMask(rows: readonly ChangeRow[], masked: readonly ChangeRow[]): (sentence: string) => string {
  const hidden = rows.filter((_row, at) => masked[at]?.masked);
  return (sentence) => hidden.reduce((text, row) => text.replaceAll(nameOf(row), `a ${row.kind}`), sentence);
}

/** The right to get an object; of a kind that is served at no version any more, the one to get anything of its group. */
async function rightTo({ cluster }: CommandDeps, { apiVersion, kind, ns }: ChangeRow): Promise<AccessRight> {
  const place = ns === null ? {} : { namespace: ns };
  try {
    const { group, plural } = await cluster.discovery.resolveKind(toKindRef({ apiVersion, kind }));
    return { verb: 'get', group, resource: plural, ...place };
  } catch (error) {
    if (!isNoMatch(error)) throw error;
    return { verb: 'get', group: groupOf(apiVersion), resource: '*', ...place };
  }
}

function nameOf({ kind, ns, name }: ChangeRow): string {
  return describeObject({ kind, name, ...(ns === null ? {} : { namespace: ns }) });
}

function mask({ id: _id, name: _name, uid: _uid, why: _why, diff: _diff, ...row }: ChangeRow, at: number): ChangeRow {
  const why = `${WHAT[row.verdict]}; you may not see which ${row.kind} it is`;
  return { ...row, id: `${row.kind}/${row.ns ?? ''}/${MASK} ${at}`, name: MASK, uid: null, why, blast: [], diff: null, masked: true };
}
