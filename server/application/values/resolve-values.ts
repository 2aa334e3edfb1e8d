import { isFields } from '@/lib/kube/fields';
import { VALUES_OF } from '@/lib/kube/kinds';
import { isSecretLike } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { Owner } from '@/lib/kube/sensitive';
import type { Rendered } from '../spec/model';
import type { Reference } from './reference';
import { keyOf, readReference, VALUES_TYPE } from './reference';

/** What an application renders to with every value in its place, or why a value cannot be had. */
export type ResolvedValues =
  | { readonly kind: 'resolved'; readonly rendered: Rendered }
  | { readonly kind: 'missing'; readonly why: string };

/** Puts values into the Secrets that refer to them. Containers read theirs by themselves, so nothing else that is rendered ever holds one. */
export function resolveValues(
  rendered: Rendered,
  { name, namespace }: Owner,
  secretAt: (at: Owner) => KubeObject | undefined,
): ResolvedValues {
  const owner = { name, namespace };
  const known = new Map(secretsIn(rendered, owner).map((one) => [one, secretAt({ name: one, namespace })]));
  if (known.size === 0) return { kind: 'resolved', rendered };
  const missing: string[] = [];
  const manifests = rendered.manifests.map((manifest) => withValues(manifest, owner, { known, missing }));
  const [why] = missing;
  return why === undefined ? { kind: 'resolved', rendered: { ...rendered, manifests } } : { kind: 'missing', why };
}

/** The same where Secrets have to be asked for; undefined is one that is not there. */
export async function readAndResolve(
  rendered: Rendered,
  owner: Owner,
  read: (at: Owner) => Promise<KubeObject | undefined>,
): Promise<ResolvedValues> {
  const known = new Map<string, KubeObject | undefined>();
  for (const name of secretsIn(rendered, owner)) known.set(name, await read({ name, namespace: owner.namespace }));
  return resolveValues(rendered, owner, ({ name }) => known.get(name));
}

const secretsIn = ({ manifests }: Rendered, owner: Owner) => [
  ...new Set(manifests.flatMap((one) => referencesOf(one, owner).map(({ name }) => name))),
];

const MEMBERS = ['data', 'stringData'] as const;

function referencesOf(manifest: KubeObject, owner: Owner): readonly Reference[] {
  if (!isSecretLike(manifest)) return [];
  return MEMBERS.flatMap((member) =>
    Object.values(isFields(manifest[member]) ? manifest[member] : {}).flatMap((value) => readReference(value, owner) ?? []),
  );
}

interface Values {
  readonly known: ReadonlyMap<string, KubeObject | undefined>;
  readonly missing: string[];
}

/** The manifest with its values; what cannot be had is told. */
function withValues(manifest: KubeObject, owner: Owner, values: Values): KubeObject {
  if (referencesOf(manifest, owner).length === 0) return manifest;
  const members = MEMBERS.flatMap((member) => {
    const held = manifest[member];
    if (!isFields(held)) return [];
    const entries = Object.entries(held).map(([key, value]) => {
      const reference = readReference(value, owner);
      if (reference === undefined) return [key, value];
      const { namespace = owner.namespace, name = '' } = manifest.metadata;
      const encoded = valueAt(reference, { owner, place: ['Secret', namespace, name, member, key], values });
      return [key, member === 'data' ? encoded : Buffer.from(encoded, 'base64').toString('utf8')];
    });
    return [[member, Object.fromEntries(entries)]];
  });
  return { ...manifest, ...Object.fromEntries(members) };
}

function valueAt(
  { name, key }: Reference,
  { owner, place, values }: { readonly owner: Owner; readonly place: readonly string[]; readonly values: Values },
): string {
  const [, namespace, secret, member, at] = place;
  const refuse = (why: string) => {
    values.missing.push(`${member}.${at} of Secret ${secret} in ${namespace} is stored in Secret ${name} in ${owner.namespace}, ${why}`);
    return '';
  };
  const found = values.known.get(name);
  if (found === undefined) return refuse('which does not exist; write the value again');
  if (found.type !== VALUES_TYPE || found.metadata.labels?.[VALUES_OF] !== owner.name)
    return refuse(`which holds no values of application ${owner.name}; write the value again`);
  if (key !== keyOf(place)) return refuse(`which has it for another field; write the value where it is needed`);
  const value = isFields(found.data) ? found.data[key] : undefined;
  return typeof value === 'string' ? value : refuse(`which has no ${key}; write the value again`);
}
