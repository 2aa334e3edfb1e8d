import type { FluxKindName } from '@/lib/contract/flux-kind';
import type { ObjectAct } from '@/lib/contract/object-acts';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { Topic } from '@/lib/contract/topic';
import type { TypeRef } from '@/lib/kube/object';
import type { AccessRight, NamedKind } from '@/server/kube';
import type { Bearer } from './rights/monitor';

/** Everything that anybody can want of the server. Each member says what it is done to. */
export type Act =
  /** Needs no session: signing in and out, health, the description of the API. */
  | { readonly kind: 'enter' }
  /** A git server tells of a push: who calls is told by the signature alone, which the hook checks. */
  | { readonly kind: 'call-hook' }
  /** Whether it is ready, for the probes of a cluster, which nobody can sign in; why not is for monitors on the same machine and for whoever is signed in. */
  | { readonly kind: 'probe'; readonly fromLoopback: boolean }
  /** Figures of the process, for monitors on the same machine or with a token of the cluster, and for whoever is signed in. */
  | { readonly kind: 'measure'; readonly fromLoopback: boolean; readonly bearer?: Bearer | undefined }
  | { readonly kind: 'see-self' }
  | { readonly kind: 'invite' }
  /** Sessions of everybody; one's own need no right. */
  | { readonly kind: 'see-sessions' }
  | { readonly kind: 'end-session'; readonly user: string }
  | { readonly kind: 'view-topic'; readonly topic: Topic }
  | { readonly kind: 'view-object'; readonly type: TypeRef; readonly ns: string | undefined; readonly name: string }
  /** One of many: the right on all objects of the kind is asked for first, so that hundreds cost one review. */
  | { readonly kind: 'view-status'; readonly type: TypeRef; readonly ns: string | undefined; readonly name: string }
  /** What containers of pods write: of one pod, of those of an application, or of any in the namespace. */
  | { readonly kind: 'view-logs'; readonly ns: string; readonly pod?: string | undefined; readonly application?: string | undefined }
  /** A kind as an address names it: its objects, one of them, or what its right is told by another verb. */
  | {
      readonly kind: 'view-kind';
      readonly verb: 'list' | 'get';
      readonly of: NamedKind;
      readonly ns: string | undefined;
      readonly name?: string;
    }
  /** A shell in a container, as the person. */
  | { readonly kind: 'open-terminal'; readonly ns: string; readonly pod: string }
  /** Connections to ports of a pod, as the person. */
  | { readonly kind: 'forward-ports'; readonly ns: string; readonly pod: string }
  | { readonly kind: 'view-record'; readonly ns: readonly string[] | undefined }
  | {
      readonly kind: 'decide';
      readonly on: 'rollout' | 'application';
      readonly verb: DecisionVerb;
      readonly ns: string;
      readonly name: string;
    }
  | {
      readonly kind: 'decide-release';
      readonly of: ReleaseKindName;
      readonly verb: ReleaseVerb;
      readonly ns: string;
      readonly name: string;
    }
  | { readonly kind: 'change-release'; readonly of: ReleaseKindName; readonly ns: string; readonly name: string }
  /** A release that no resource declares: who may see those of Flux alone may not. */
  | { readonly kind: 'view-undeclared'; readonly ns: string }
  | { readonly kind: 'uninstall-undeclared'; readonly ns: string }
  | { readonly kind: 'delete-release'; readonly of: ReleaseKindName; readonly ns: string; readonly name: string }
  /** Every act on an object of Flux is a patch of it: Flux knows no rights of its own. */
  | { readonly kind: 'act-on-flux'; readonly of: FluxKindName; readonly ns: string; readonly name: string }
  | { readonly kind: 'change-application'; readonly ns: string; readonly name: string }
  | { readonly kind: 'create-application'; readonly ns: string; readonly name: string }
  /** In whichever namespace: what may be asked before one is named. */
  | { readonly kind: 'create-somewhere' }
  | { readonly kind: 'delete-application'; readonly ns: string; readonly name: string }
  /** Something that is done to any object: a restart and a new number of replicas are patches of it, an edit is an update. */
  | {
      readonly kind: 'act-on-object';
      readonly verb: ObjectAct;
      readonly type: TypeRef;
      readonly ns: string | undefined;
      readonly name: string;
    }
  /** What an application holds is written on behalf of whoever asked for it, so they must hold the right themselves. */
  | { readonly kind: 'write-object'; readonly right: Right };

/** What Flux calls its objects as resources. */
export const FLUX_RESOURCES = {
  'helmrelease-v2': { group: 'helm.toolkit.fluxcd.io', resource: 'helmreleases' },
  gitrepository: { group: 'source.toolkit.fluxcd.io', resource: 'gitrepositories' },
  helmrepository: { group: 'source.toolkit.fluxcd.io', resource: 'helmrepositories' },
  ocirepository: { group: 'source.toolkit.fluxcd.io', resource: 'ocirepositories' },
  helmchart: { group: 'source.toolkit.fluxcd.io', resource: 'helmcharts' },
} as const satisfies Record<FluxKindName, { readonly group: string; readonly resource: string }>;

/** The namespaces a reader may see: all of them, or a list. */
export type Visibility = 'all' | readonly string[];

/** What was granted. Visibility narrows what the act may show. */
export interface Grant {
  readonly visibility: Visibility;
  /** Namespaces whose Helm releases it may show beside what it is about; none where absent. */
  readonly releases?: Visibility;
  /** Of the namespaces whose Helm releases it may show, those where it may show the ones of the older kind as well; none where absent. */
  readonly olderReleases?: Visibility;
  /** Namespaces whose objects of Flux it may show beside those; none where absent. */
  readonly flux?: Visibility;
}

/** One right of Kubernetes. */
export type Right = AccessRight;

export const RESOURCES = {
  applications: { group: 'core.oam.dev', resource: 'applications' },
  trackers: { group: 'core.oam.dev', resource: 'resourcetrackers', isClusterScoped: true },
  rollouts: { group: 'serving.knative.dev', resource: 'rolloutorchestrators' },
  baseReleases: { group: 'helm.integrations.flux.weave.works', resource: 'fluxhelmreleases' },
  laterReleases: { group: 'helm.fluxcd.io', resource: 'helmreleases' },
  olderReleases: { group: 'flux.weave.works', resource: 'helmreleases' },
  decisions: { group: 'slipway.dev', resource: 'stagedecisions' },
  releaseDecisions: { group: 'slipway.dev', resource: 'releasedecisions' },
  /** Served by nobody: rights to what the server itself keeps. */
  sessions: { group: 'slipway.dev', resource: 'sessions', isClusterScoped: true },
} as const;
