import { groupOf } from '@/lib/kube/object';
import { readEscapedName } from '@/lib/std/text/hidden-characters';

/** In an address: the group without a name, and where objects without a namespace live. */
export const CORE = 'core';
export const NO_NAMESPACE = '-';

/** Names a kind in an address: its group, and its plural or its kind. */
export interface KindAddress {
  readonly group: string;
  /** The plural (`deployments`), or the kind (`Deployment`), which begins with a capital letter. */
  readonly named: string;
  readonly version?: string | undefined;
}

/** Names one object in an address. */
export interface ObjectPage extends KindAddress {
  readonly ns: string | null;
  readonly name: string;
}

/** The page of a kind: the table of its objects. */
export function kindHref({ group, named, version }: KindAddress): string {
  return `/objects/${encodeURIComponent(group === '' ? CORE : group)}/${encodeURIComponent(named)}${version ? `?version=${encodeURIComponent(version)}` : ''}`;
}

/** The page of one object. */
export function objectPageHref(page: ObjectPage): string {
  return hrefOf(page, '');
}

/** Where one object is edited. */
export function objectEditHref(page: ObjectPage): string {
  return hrefOf(page, '/edit');
}

function hrefOf({ ns, name, version, ...kind }: ObjectPage, below: string): string {
  const query = version ? `?version=${encodeURIComponent(version)}` : '';
  return `${kindHref(kind)}/${encodeURIComponent(ns ?? NO_NAMESPACE)}/${encodeURIComponent(name)}${below}${query}`;
}

/** The page of an object that is known by kind and name, as rows show them; its kind may be served at another version by then, so none is named. */
export function objectHref(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
}): string {
  return objectPageHref({ group: groupOf(object.apiVersion), named: object.kind, ns: object.ns, name: readEscapedName(object.name) });
}

/** Where the API reads a kind, and what lies below it. */
export function kindPath({ group, named }: KindAddress): string {
  return `/api/v1/kinds/${encodeURIComponent(group === '' ? CORE : group)}/${encodeURIComponent(named)}`;
}

/** The object that the steps of an address name; each step may be encoded. */
export function parseObjectPage(
  { group, plural, ns, name }: { readonly group: string; readonly plural: string; readonly ns: string; readonly name: string },
  version?: string,
): ObjectPage {
  const [inGroup, named, where, called] = [group, plural, ns, name].map(decodeURIComponent) as [string, string, string, string];
  return {
    group: inGroup === CORE ? '' : inGroup,
    named,
    ns: where === NO_NAMESPACE ? null : where,
    name: called,
    ...(version ? { version } : {}),
  };
}
