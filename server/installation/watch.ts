import type { Finding } from '@/lib/contract/finding';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster, Store } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { watchAdmission } from './admission';
import type { UntrustedFields } from './definitions/definitions';
import { watchDefinitions } from './definitions/definitions';
import { engineStateOf } from './engine-states';
import type { EngineName, EngineState } from './modes';
import { ENGINES, watchModes } from './modes';
import { findMissingRights } from './rights';

/** Whether the cluster is, and stays, as the server needs it. Answers are of this moment and ask nobody, `examine` aside. */
export interface Installation {
  /** Why nobody may decide, or may decide this; null when they may. */
  decisionsBlockedReason(verb?: DecisionVerb): string | null;
  stateOf(engine: EngineName): EngineState;
  /** Why a field of a kind would not be kept or taken as written, with the command that mends it; null when it would. */
  dropped(kind: string, field: string, value?: string): string | null;
  /** Whether a definition was read, so that what it drops is known and no mere doubt. */
  isDefinitionRead(kind: string): boolean;
  /** What is not in order, as far as it is known without asking. */
  findings(): readonly Finding[];
  /** Everything that is not in order, policies and rights asked about now. */
  examine(signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface InstallationDeps {
  readonly cluster: Cluster;
  readonly deployments: Store;
  /** Everything that is deployed: definitions, roles, policies. */
  readonly deployed: readonly KubeObject[];
  /** False where the cluster itself ties acts to people. */
  readonly needsPolicies: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Fields that have another form, by kind: they are not trusted to a definition that cannot be read. */
  readonly untrustedFields: UntrustedFields;
  /** Reads the objects of a kind once more, whose definition is another. */
  readonly relist?: ((type: TypeRef) => Promise<void>) | undefined;
}

/** Looks at definitions, policies and other controllers, and goes on looking until the signal aborts. */
export async function watchInstallation(deps: InstallationDeps): Promise<Installation> {
  const { cluster, deployed, needsPolicies } = deps;
  const ofGroup = (group: string) => deployed.filter(({ apiVersion }) => apiVersion.startsWith(`${group}/`));
  const policies = needsPolicies ? ofGroup('admissionregistration.k8s.io') : [];
  const [definitions, modeOf] = await Promise.all([watchDefinitions(ofGroup('apiextensions.k8s.io'), deps), watchModes(deps)]);
  const admission = await watchAdmission(policies, { ...deps, isRolloutObserved: () => modeOf('rollout').mode === 'observe' });
  const stateOf = (engine: EngineName) => engineStateOf(engine, modeOf(engine), definitions);
  const known = () => [...ENGINES.flatMap((engine) => toFindings(engine, stateOf(engine))), ...definitions.findings()];
  return {
    decisionsBlockedReason: admission.decisionsBlockedReason,
    stateOf,
    dropped: (kind, field, value) => definitions.dropped(kind, field, value),
    isDefinitionRead: (kind) => definitions.isRead(kind),
    findings: () => [...known(), ...admission.findings()],
    examine: async (signal) => [
      ...known(),
      ...(await admission.examine()),
      ...(await findMissingRights(ofGroup('rbac.authorization.k8s.io'), cluster, signal)),
    ],
  };
}

function toFindings(engine: EngineName, state: EngineState): readonly Finding[] {
  if (state.mode === 'drive')
    return Object.values(state.kinds ?? {}).map((sentence) => ({ area: 'modes', subject: `${engine} engine`, sentence, remedy: null }));
  // Where definitions hold an engine they are findings of their own, each with the command that mends it.
  const remedy = state.mode === 'observe' ? (state.remedy ?? null) : null;
  return [{ area: 'modes', subject: `${engine} engine`, sentence: state.why, remedy }];
}
