import type { Finding } from '@/lib/contract/finding';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { verbIs } from '@/lib/contract/stage-decision';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { PolicyState, PolicyStateDeps } from './policy-states';
import { watchPolicyStates } from './policy-states';

/** What ties decisions to people, as it is installed. */
export interface Admission {
  /** Why nobody may decide, or may decide this; null when they may. */
  decisionsBlockedReason(verb?: DecisionVerb): string | null;
  /** What is not in order, as far as it is known without asking. */
  findings(): readonly Finding[];
  /** Everything that is not in order, asked about now, notes of who asked included. */
  examine(): Promise<readonly Finding[]>;
}

export interface AdmissionDeps extends PolicyStateDeps {
  /** True while another controller drives rollouts: what keeps rollouts to our engine is not to be bound then. */
  readonly isRolloutObserved: () => boolean;
}

const ROLLOUTS = 'rollouts.slipway.dev';
const VALUES = 'values.slipway.dev';

/** True for what keeps rollouts to our engine, which is installed only where that drives. */
export const guardsRollouts = ({ metadata }: KubeObject) => metadata.name === ROLLOUTS;
/** True for what refuses nobody, and warns those who write values past the console. */
const onlyWarns = ({ metadata }: KubeObject) => metadata.name === VALUES;
const isNote = ({ kind }: KubeObject) => kind.startsWith('MutatingAdmissionPolicy');
const isRefusing = (object: KubeObject) => !isNote(object) && object.kind.endsWith('Binding');
const nameOf = ({ kind, metadata }: KubeObject) => describeObject({ kind, name: metadata.name });
const fileOf = (object: KubeObject) =>
  guardsRollouts(object) ? 'deploy/admission-rollouts.yaml' : onlyWarns(object) ? 'deploy/admission-values.yaml' : 'deploy/admission.yaml';
const applyOf = (object: KubeObject) => `kubectl apply -f ${fileOf(object)}`;

/** Compares what ties decisions to people with what is deployed, and follows every change of it. */
export async function watchAdmission(deployed: readonly KubeObject[], deps: AdmissionDeps): Promise<Admission> {
  const { stateOf, readNow } = await watchPolicyStates(deployed, deps);
  const objects = deployed.filter((object) => !onlyWarns(object));
  const unwarned = () => deployed.filter((object) => onlyWarns(object) && stateOf(object).kind !== 'kept');
  const isWanted = (object: KubeObject) => !guardsRollouts(object) || !deps.isRolloutObserved();
  /** What writes notes may be missing, as on clusters before 1.36; what checks them may not. */
  const absent = () =>
    objects.filter(
      (object) => isWanted(object) && !isNote(object) && stateOf(object).kind !== 'kept' && stateOf(object).kind !== 'differs',
    );
  const different = () => objects.filter((object) => isWanted(object) && stateOf(object).kind === 'differs');
  /** Bound while somebody else drives rollouts. */
  const inTheWay = () =>
    objects.filter((object) => !isWanted(object) && isRefusing(object) && ['kept', 'differs'].includes(stateOf(object).kind));

  function findings(): readonly Finding[] {
    return [
      ...absent().map((object) => toFinding(object, formatAbsent(object, stateOf(object)))),
      ...different().map((object) => toFinding(object, formatDifferent(object, stateOf(object)))),
      ...inTheWay().map((object) => ({ ...toFinding(object, formatInTheWay(object)), remedy: `kubectl delete -f ${fileOf(object)}` })),
    ];
  }

  return {
    decisionsBlockedReason(verb) {
      const [gone] = absent();
      if (gone !== undefined) return `${formatAbsent(gone, stateOf(gone))}; ${applyOf(gone)} fixes it`;
      const [other] = verb === undefined || verbIs(verb, 'passesGate') ? different() : [];
      return other === undefined ? null : `${formatDifferent(other, stateOf(other))}; ${applyOf(other)} fixes it`;
    },
    findings,
    async examine() {
      await readNow();
      const silent = objects.filter(
        (object) => isNote(object) && isWanted(object) && ['missing', 'unread', 'unserved'].includes(stateOf(object).kind),
      );
      return [
        ...findings(),
        ...unwarned().map((object) => toFinding(object, formatUnwarned(object))),
        ...silent.map((object) => toNoteFinding(object, stateOf(object))),
      ];
    },
  };
}

function formatAbsent(object: KubeObject, { kind }: PolicyState): string {
  const why = kind === 'missing' ? 'is missing' : kind === 'unserved' ? 'is of a kind that the cluster does not serve' : 'cannot be read';
  const effect = guardsRollouts(object)
    ? 'nothing else keeps rollouts to their engine'
    : 'nothing else ties a decision to the person who makes it';
  return `decisions are refused while ${nameOf(object)} ${why}: ${effect}`;
}

function formatDifferent(object: KubeObject, state: PolicyState): string {
  const difference = state.kind === 'differs' ? state.difference : '';
  return `decisions that pass a gate are refused while ${nameOf(object)} is not as it is deployed with Slipway: ${difference}`;
}

const formatUnwarned = (object: KubeObject) =>
  `values written into an application without the console cause no warning while ${nameOf(object)} is not as it is deployed with Slipway`;
const formatInTheWay = (object: KubeObject) => `${nameOf(object)} is installed while another controller drives rollouts, which it rejects`;

function toFinding(object: KubeObject, sentence: string): Finding {
  return { area: 'policies', subject: nameOf(object), sentence, remedy: applyOf(object) };
}

function toNoteFinding(object: KubeObject, { kind }: PolicyState): Finding {
  const subject = nameOf(object);
  const why =
    kind === 'unserved'
      ? `the cluster serves no ${object.kind}`
      : kind === 'missing'
        ? `${subject} is missing`
        : `${subject} cannot be read`;
  const sentence = `${why}: who requests a change is not recorded, and --unattributed decides what it may contain`;
  return { area: 'policies', subject, sentence, remedy: kind === 'unserved' ? null : applyOf(object) };
}
