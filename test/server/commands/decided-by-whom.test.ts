import { describe, expect, it } from 'vitest';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import type { AskedRight } from '../auth/fake-cluster';
import { anApplication, aRequest, aRevision, aRollout, createCommandRig, SHOP } from './rig';

const objects = [anApplication(), aRollout(), aRevision('web-v1', 'web:0'), aRevision('web-v2', 'web:1')];
const requestOf = (verb: (typeof DECISION_VERBS)[number]) =>
  aRequest({ verb, reason: 'because', ...(verb === 'rollback' ? { revision: 'web-v1' } : {}) });

/** What comes of a decision by somebody who lacks some right. */
async function decided(verb: (typeof DECISION_VERBS)[number], lacks: (right: AskedRight) => boolean) {
  const { commands, session, cluster, recorded } = await createCommandRig({ objects, may: (right) => !lacks(right) });
  const outcome = await commands.decide(session, SHOP, requestOf(verb)).catch((error: unknown) => error);
  return { outcome, writes: cluster.writes, recorded };
}

describe('a decision by somebody who may not make it', () => {
  it.each(DECISION_VERBS)('[issue 10.2] is refused before anything is tried: %s without the right to it', async (verb) => {
    const { outcome, writes, recorded } = await decided(verb, (right) => right.verb === verb && right.resource === 'rolloutorchestrators');
    expect(outcome).toMatchObject({ code: 'forbidden', message: expect.stringContaining(`"${verb}" on rolloutorchestrators`) });
    expect([writes, recorded]).toEqual([[], []]);
    const permitted = await decided(verb, () => false);
    expect(permitted.outcome).toMatchObject({ accepted: { kind: 'StageDecision' } });
  });

  it.each(DECISION_VERBS)('[issue 10.2] is refused before anything is tried: %s without the right to decide', async (verb) => {
    const { outcome, writes } = await decided(verb, (right) => right.verb === 'create' && right.resource === 'stagedecisions');
    expect(outcome).toMatchObject({ code: 'forbidden' });
    expect(writes).toEqual([]);
  });

  it.each([
    [
      'change the application',
      ({ verb, resource }: AskedRight) => verb === 'update' && resource === 'applications',
      '"update" on applications',
    ],
    ['change what it would change', ({ resource }: AskedRight) => resource === 'deployments', 'operator may not patch Deployment'],
  ])('[issue 10.1] is refused before anything is tried: a rollback by somebody who may not %s', async (_what, lacks, sentence) => {
    const { outcome, writes, recorded } = await decided('rollback', lacks);
    expect(outcome).toMatchObject({ code: 'forbidden', message: expect.stringContaining(sentence) });
    expect([writes, recorded]).toEqual([[], []]);
  });
});
