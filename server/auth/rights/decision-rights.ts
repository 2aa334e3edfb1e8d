import type { Act, Right } from '../act';
import { RESOURCES } from '../act';
import { releasesOf } from './release-rights';

/** What a decision wants: the right to decide at all, and the verb of the decision on what it is about. */
export function decisionRights(act: Act & { readonly kind: 'decide' | 'decide-release' }): readonly Right[] {
  const { verb, ns: namespace, name } = act;
  if (act.kind === 'decide-release') {
    return [
      { verb: 'create', ...RESOURCES.releaseDecisions, namespace },
      { verb, ...releasesOf(act.of), namespace, name },
    ];
  }
  const about = act.on === 'rollout' ? RESOURCES.rollouts : RESOURCES.applications;
  return [
    { verb: 'create', ...RESOURCES.decisions, namespace },
    { verb, ...about, namespace, name },
  ];
}
