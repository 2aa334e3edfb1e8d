import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { Topic } from '@/lib/contract/topic';
import type { TypeRef } from '@/lib/kube/object';

/** Everything that anybody can want of the server. Each member says what it is done to. */
export type Act =
  /** Needs no session: signing in and out, health, the description of the API. */
  | { readonly kind: 'enter' }
  /** Figures of the process, for monitors on the same machine and for whoever is signed in. */
  | { readonly kind: 'measure'; readonly fromLoopback: boolean }
  | { readonly kind: 'see-self' }
  | { readonly kind: 'invite' }
  | { readonly kind: 'view-topic'; readonly topic: Topic }
  | { readonly kind: 'view-object'; readonly type: TypeRef; readonly ns: string | undefined; readonly name: string }
  | { readonly kind: 'view-record'; readonly ns: string | undefined }
  | { readonly kind: 'decide'; readonly on: 'rollout' | 'application'; readonly verb: DecisionVerb; readonly ns: string; readonly name: string }
  | { readonly kind: 'change-application'; readonly ns: string; readonly name: string }
  | { readonly kind: 'create-application'; readonly ns: string; readonly name: string };

/** The namespaces a reader may see: all of them, or a list. */
export type Visibility = 'all' | readonly string[];

/** What was granted. Visibility narrows what the act may show. */
export interface Grant {
  readonly visibility: Visibility;
}

/** One right of Kubernetes. Namespace absent means all of them. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** How sentences name a right. */
export function describeRight({ verb, group, resource, namespace, name }: Right): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
  return `"${verb}" on ${what} ${namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`}`;
}

export const RESOURCES = {
  applications: { group: 'core.oam.dev', resource: 'applications' },
  trackers: { group: 'core.oam.dev', resource: 'resourcetrackers' },
  rollouts: { group: 'serving.knative.dev', resource: 'rolloutorchestrators' },
  decisions: { group: 'slipway.dev', resource: 'stagedecisions' },
} as const;
