// The table of what every event does in every state of a rollout, found by asking the reducer itself.
import { readFileSync } from 'node:fs';

const AT = 0;
const revision = (revisionName) => ({ revisionName, percent: 100 });
const course = { initialRevisions: [revision('web-v1')], targetRevisions: [revision('web-v1')] };
const attempt = {
  id: 'ro',
  kind: 'rollout',
  target: [revision('web-v2')],
  startedAt: '',
  stable: [revision('web-v1')],
  floor: 1,
  full: false,
  stages: [],
};
const ready = new Map();

/** Every event, in each form that leads somewhere else, with what it says in words. */
const EVENTS = [
  ['another target is requested', { type: 'targetChanged', at: AT, attempt, past: [], isMidway: false }],
  ['a stage begins', { type: 'stageStarted', at: AT, stage: [revision('web-v2')] }],
  ['a stage is reached', { type: 'stageReached', at: AT, percent: 50, isLast: false, ready }],
  ['the last stage is reached', { type: 'stageReached', at: AT, percent: 100, isLast: true, ready }],
  ['approve', { type: 'approved', at: AT, actor: 'ann', garbage: undefined }],
  ['a vote to advance or promote-full', { type: 'voted', at: AT, verb: 'advance', actor: 'ann' }],
  ['advance', { type: 'advanced', garbage: undefined }],
  ['promote-full', { type: 'promoted', garbage: undefined }],
  ['pause', { type: 'pauseAsked' }],
  ['resume', { type: 'resumeAsked' }],
  ['a pause begins, by whomever', { type: 'pauseBegan', at: AT }],
  ['a pause is over', { type: 'pauseEnded', at: AT }],
  ['a health sample', { type: 'healthSampled', at: AT, sample: 'failing' }],
  ['a stage moves', { type: 'progressed', at: AT, score: 1 }],
  ['abort, with a side to go back to', { type: 'abortAsked', at: AT, rejected: 'web-v2', reason: '', ready, targets: course }],
  ['abort, with nothing to bring back', { type: 'abortAsked', at: AT, rejected: 'web-v2', reason: '', ready, targets: undefined }],
  ['retry', { type: 'retryAsked', at: AT, past: [], targets: course }],
  ['terms are in force at once', { type: 'termsFollowed', terms: undefined, tightened: undefined, waiting: undefined }],
  ['a decision under the terms in force', { type: 'decidedUnderTerms' }],
  ['a vote to loosen', { type: 'loosenVoted', at: AT, actor: 'ann', digest: 'd' }],
  ['loosen, or a stricter policy is taken back', { type: 'loosened', terms: undefined }],
  ['rollback', { type: 'rollbackAsked', isAfterTarget: false }],
];

const STATES = {
  idle: { words: 'no target was requested', more: {} },
  stage: { words: 'a stage is in progress', more: { attempt, stage: 1, since: '' } },
  boundary: { words: 'between two stages: gates, soaks and health are evaluated', more: { attempt, stage: 1, since: '' } },
  returning: { words: 'aborted, on the way back', more: { attempt, rejected: 'web-v2' } },
  aborted: { words: 'aborted, and all traffic goes to the stable revision again', more: { attempt, rejected: 'web-v2' } },
  done: { words: 'all traffic goes to the target', more: { attempt, stage: 2 } },
};

/** The page, from the reducer and the schema of the states. */
export function describeStates(reduce, schema) {
  const known = [...readFileSync('server/rollout/control/reduce.ts', 'utf8').matchAll(/readonly type: '(\w+)'/g)].map(([, name]) => name);
  const missing = known.filter((name) => !EVENTS.some(([, { type }]) => type === name));
  if (missing.length > 0) throw new Error(`scripts/rollout-states.mjs wants an example of ${missing.join(', ')}`);
  const states = Object.entries(STATES).map(([state, { more }]) => schema.parse({ state, ...more }));
  const rows = EVENTS.map(([words, event]) => `| ${words} | ${states.map((state) => outcome(state, reduce(state, event))).join(' | ')} |`);
  return `# What moves a rollout from state to state

Made from \`server/rollout/control/reduce.ts\` by \`node scripts/write-docs.mjs\`. The state is the tag \`status.control.state\`; the phase beside it (Healthy,
Progressing, Paused, Degraded) is derived from it, the policy and what runs.

| state | meaning |
| --- | --- |
${Object.entries(STATES)
  .map(([state, { words }]) => `| \`${state}\` | ${words} |`)
  .join('\n')}

A name is the next state, \`=\` the same state with something recorded in it, and a dot an event that changes nothing there.
Decisions of people are evaluated before: a refused one never becomes an event.

| event | ${Object.keys(STATES).join(' | ')} |
| --- | ${Object.keys(STATES)
    .map(() => '---')
    .join(' | ')} |
${rows.join('\n')}
`;
}

function outcome(before, after) {
  if (after === before) return '·';
  return after.state === before.state ? '=' : `\`${after.state}\``;
}
