import discovery from './discovery.generated.json';
import kinds from './kinds.generated.json';
import version from './version.generated.json';

/** A schema as published, without descriptions; `$ref` is the bare name of another. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

/** One resource or subresource (`pods/log`) of the published discovery. */
export interface PublishedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface PublishedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly PublishedResource[];
}

/** Schemas by name, `io.k8s.api.apps.v1.Deployment`. */
export const SCHEMAS = kinds as unknown as Readonly<Record<string, Schema>>;
/** What the real control plane serves, group version by group version. */
export const DISCOVERY = discovery as unknown as readonly PublishedVersion[];
/** The version of Kubernetes that was read. */
export const VERSION = version;

const byKind = new Map<string, string>();
for (const [name, schema] of Object.entries(SCHEMAS)) {
  const types = schema['x-kubernetes-group-version-kind'] ?? [];
  // Shared types (DeleteOptions, Status) name a kind per group and are no kind of their own.
  if (types.length !== 1) continue;
  for (const { group, version: of, kind } of types) byKind.set(`${group}/${of}/${kind}`, name);
}

/** Name of the schema of a built-in kind. */
export function schemaNameOf(group: string, of: string, kind: string): string | undefined {
  return byKind.get(`${group}/${of}/${kind}`);
}
