import type { FluxKindName } from '@/lib/contract/flux-kind';
import { FLUX_KIND_NAMES } from '@/lib/contract/flux-kind';
import type { FluxReference } from '@/lib/contract/flux-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';

/** The kind of Flux that a type is, whatever its version; undefined for any other. */
export function fluxKindOf({ apiVersion, kind }: TypeRef): FluxKindName | undefined {
  return FLUX_KIND_NAMES.find((name) => FLUX_KINDS[name].kind === kind && groupOf(FLUX_KINDS[name].apiVersion) === groupOf(apiVersion));
}

/** An object of Flux as another one names it: its namespace is that of the other where none is written. */
export function toReference(
  named: { readonly kind: string; readonly name: string; readonly namespace: string | undefined },
  from: string,
): FluxReference {
  const page = FLUX_KIND_NAMES.find((name) => name !== 'helmrelease-v2' && FLUX_KINDS[name].kind === named.kind) ?? null;
  return { kind: named.kind, page, ns: named.namespace ?? from, name: named.name };
}
