import type { KubeObject } from '@/lib/kube/object';
import type { Place } from '../spec/fault';
import type { ComponentSpec } from '../spec/model';

/** What a component is rendered under. */
export interface ComponentContext {
  readonly application: string;
  readonly namespace: string;
  readonly revisionName: string;
  /** Where the component stands in the application, for sentences. */
  readonly place: Place;
  /** Set when a rollout moves the workload: its own name instead of the component's. */
  readonly stagedName: string | undefined;
}

/** A port that is to be reached from outside the pods. */
export interface ExposedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol?: string;
  readonly nodePort?: number;
}

/** A Service in the making; a trait may add to what the component asks for. */
export interface Exposure {
  readonly ports: readonly ExposedPort[];
  readonly type: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly selector?: Readonly<Record<string, string>>;
  /** The trait that asked for it, where the component did not. */
  readonly trait?: string;
}

/** An object that a trait adds. */
export interface TraitObject {
  readonly object: KubeObject;
  readonly trait: string;
}

/** A component while traits are laid over it. */
export interface ComponentDraft {
  readonly workload: KubeObject | undefined;
  readonly replicas: number | undefined;
  /** Set when something in the cluster scales it, between which bounds: then no manifest may state replicas. */
  readonly autoscaled?: { readonly minScale: number; readonly maxScale: number };
  readonly exposure: Exposure | undefined;
  /** Objects besides the workload, as they are. */
  readonly objects: readonly KubeObject[];
  readonly additions: readonly TraitObject[];
}

/** A draft without anything in it, to start from. */
export const EMPTY_DRAFT: ComponentDraft = { workload: undefined, replicas: undefined, exposure: undefined, objects: [], additions: [] };

/** Where a trait stands: the place of its properties, and the component it is laid over. */
export interface TraitContext extends ComponentContext {
  readonly component: string;
  /** The place of the trait's properties. */
  readonly place: Place;
}

/** A trait: how its properties change a component's draft. */
export type Trait = (draft: ComponentDraft, properties: unknown, context: TraitContext) => ComponentDraft;

/** A kind of component: how its properties become objects. */
export interface ComponentType {
  /** True when it has a workload that a rollout can move. */
  readonly rollable: boolean;
  draft(component: ComponentSpec, context: ComponentContext): ComponentDraft;
}
