import { readBoolean, readField, readString } from '@/lib/kube/fields';

const DEFAULT_KEY = 'values.yaml';

interface Optional {
  /** True where a missing object, a missing key and bad content are passed over. */
  readonly optional: boolean;
}

/** Where values of a release come from beside those that stand in the resource itself. */
export type ValuesSource = Optional &
  (
    | { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string; readonly namespace: string | undefined; readonly key: string }
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'chartFile'; readonly path: string }
  );

/** The Secrets of `valueFileSecrets`: each is required, and holds `values.yaml`. */
export function readSecretFiles(list: readonly unknown[]): readonly ValuesSource[] {
  return list.map((entry) => ({
    kind: 'Secret',
    name: readString(entry, 'name') ?? '',
    namespace: undefined,
    key: DEFAULT_KEY,
    optional: false,
  }));
}

/** The sources of `valuesFrom`, in their order; an entry that names none is left out. */
export function readValuesFrom(list: readonly unknown[]): readonly ValuesSource[] {
  return list.flatMap((entry) => readSource(entry) ?? []);
}

function readSource(entry: unknown): ValuesSource | undefined {
  for (const [member, kind] of [
    ['secretKeyRef', 'Secret'],
    ['configMapKeyRef', 'ConfigMap'],
  ] as const) {
    const ref = readField(entry, member);
    if (ref === undefined) continue;
    const at = { name: readString(ref, 'name') ?? '', namespace: readString(ref, 'namespace'), key: readString(ref, 'key') || DEFAULT_KEY };
    return { kind, ...at, optional: readBoolean(ref, 'optional') ?? false };
  }
  const external = readField(entry, 'externalSourceRef');
  if (external !== undefined)
    return { kind: 'url', url: readString(external, 'url') ?? '', optional: readBoolean(external, 'optional') ?? false };
  const file = readField(entry, 'chartFileRef');
  if (file !== undefined)
    return { kind: 'chartFile', path: readString(file, 'path') ?? '', optional: readBoolean(file, 'optional') ?? false };
  return undefined;
}
