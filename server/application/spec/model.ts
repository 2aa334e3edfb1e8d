import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import type { rolloutPolicy } from '@/server/rollout';
import type { Policies } from './policies';
import { policySchema } from './policy-schemas';

/** Names that become names of objects and values of labels. */
export const objectName = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a name of lower-case letters, digits and dashes')
  .max(63);

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Name and namespace of an application, as an API server takes them. */
export const applicationNames = z.object({
  name: z.string().regex(SUBDOMAIN, 'must be a name of lower-case letters, digits, dashes and dots').max(253),
  namespace: objectName,
});

const properties = z.record(z.string(), z.unknown());

export const traitSchema = z.strictObject({ type: z.string(), properties: properties.optional() });
export const componentSchema = z.strictObject({
  name: objectName,
  type: z.string(),
  properties: properties.optional(),
  traits: z.array(traitSchema).optional(),
});
export const applicationSpecSchema = z.strictObject({
  components: z.array(componentSchema).min(1),
  policies: z.array(policySchema).optional(),
});

export type ComponentSpec = Readonly<z.infer<typeof componentSchema>>;
export type ApplicationSpec = Readonly<z.infer<typeof applicationSpecSchema>>;

export interface RolloutPolicy extends Omit<z.infer<typeof rolloutPolicy>, 'component'> {
  readonly component: string;
}

/** An application as parsed: what it is made of, with everything checked. */
export interface ParsedApplication {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: ApplicationSpec;
  readonly policies: Policies;
  readonly rollout: RolloutPolicy | undefined;
  readonly object: KubeObject;
}

/** Scale of a component under a rollout; absent where nothing states one. */
export interface ComponentScale {
  readonly minScale?: number;
  readonly maxScale?: number;
}

/** What an application renders to. */
export interface Rendered {
  /** In order: each component's workload, then what its traits add. */
  readonly manifests: readonly KubeObject[];
  /** The workload of each component that has one, by component. */
  readonly workloads: Readonly<Record<string, RenderedWorkload>>;
}

export interface RenderedWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** True when a rollout moves it: its replicas are no part of the manifest. */
  readonly staged: boolean;
  readonly scale: ComponentScale;
}
