import type { Equivalent } from './equivalents';

const PAUSE = `if (verb === 'pause' || verb === 'resume') return { id: \`decided.\${verb}\` };`;
const LOOSEN = "if (verb === 'loosen') return { id: 'decided.loosen', fields: view.ro.loosening?.fields ?? [] };";
const UNLOOSENED = 'to loosen is refused before where no looser policy waits';

/** Those of how a decision is judged, and of what it does. */
export const OF_DECISIONS: readonly Equivalent[] = [
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'if (expiresAt !== undefined && expiresAt <= now) {',
    from: 'expiresAt !== undefined',
    to: 'true',
    why: 'what is absent is at or before no moment',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'return isActive(situation) && policyRequestedBy.length > 0 ? [...policyRequestedBy, ...ofRollout] : policyRequestedBy;',
    from: 'policyRequestedBy.length > 0',
    to: 'true',
    why: 'where nobody is noted for the policy nobody is for the rollout either',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'return isActive(situation) && policyRequestedBy.length > 0 ? [...policyRequestedBy, ...ofRollout] : policyRequestedBy;',
    from: 'policyRequestedBy.length > 0',
    to: 'policyRequestedBy.length >= 0',
    why: 'where nobody is noted for the policy nobody is for the rollout either',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: "approve: (view, { actor, seen }, now) => applyEvent(view, { type: 'approved', at: now, actor: actor.user, garbage: seen?.garbage }),",
    from: 'seen?.garbage',
    to: 'seen.garbage',
    why: 'an approval of which nobody says what they saw is refused before',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: "withVote(view, { verb: 'advance', actor: spec.actor.user, now }, { type: 'advanced', garbage: spec.seen?.garbage }),",
    from: 'spec.seen?.garbage',
    to: 'spec.seen.garbage',
    why: 'a decision of which nobody says what they saw is refused before',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'if (quorum === undefined || loosening === undefined) return view;',
    from: 'quorum === undefined || loosening === undefined',
    to: 'false',
    why: 'to loosen is refused before where no looser policy waits, and has a quorum always',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'if (quorum === undefined || loosening === undefined) return view;',
    from: 'quorum === undefined || loosening === undefined',
    to: 'quorum === undefined && loosening === undefined',
    why: 'to loosen is refused before where no looser policy waits, and has a quorum always',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'if (quorum === undefined || loosening === undefined) return view;',
    from: 'quorum === undefined',
    to: 'false',
    why: 'to loosen is refused before where no looser policy waits, and has a quorum always',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'if (quorum === undefined || loosening === undefined) return view;',
    from: 'loosening === undefined',
    to: 'false',
    why: 'to loosen is refused before where no looser policy waits, and has a quorum always',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: 'return quorum !== undefined && isShortOfQuorum(quorum) ? voted : applyEvent(voted, event);',
    from: 'quorum !== undefined',
    to: 'true',
    why: 'only verbs that lead on are voted for, and these have a quorum',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: PAUSE,
    from: "verb === 'pause' || verb === 'resume'",
    to: 'false',
    why: 'the sentence of a pause, and of its end, names no revision',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: PAUSE,
    from: "verb === 'pause' || verb === 'resume'",
    to: "verb === 'pause' && verb === 'resume'",
    why: 'the sentence of a pause, and of its end, names no revision',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: PAUSE,
    from: "verb === 'pause'",
    to: 'false',
    why: 'the sentence of a pause, and of its end, names no revision',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: PAUSE,
    from: "verb === 'resume'",
    to: 'false',
    why: 'the sentence of a pause, and of its end, names no revision',
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: LOOSEN,
    from: 'view.ro.loosening?.fields',
    to: 'view.ro.loosening.fields',
    why: UNLOOSENED,
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: LOOSEN,
    from: '[]',
    to: '["Stryker was here"]',
    why: UNLOOSENED,
  },
  {
    file: 'server/rollout/control/decisions.ts',
    line: `return { id: \`decided.\${verb}\`, revision: verb === 'rollback' ? (named ?? '') : revision };`,
    from: "verb === 'rollback'",
    to: 'true',
    why: 'a decision other than a rollback names the target, or is refused before',
  },
];
