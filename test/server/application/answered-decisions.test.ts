import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { ApplicationHouse } from '../../support/application-house';

const set = (...names: string[]) => ({
  components: [
    {
      name: 'set',
      type: 'k8s-objects',
      properties: { objects: names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })) },
    },
  ],
});

async function aHouse(): Promise<ApplicationHouse> {
  const house = await new ApplicationHouse().start();
  await house.apply(set('a'));
  return house;
}

/** A decision about the application by that name, as somebody makes it. */
async function decide(house: ApplicationHouse, name: string, spec: object = {}, status: object = {}): Promise<void> {
  const applicationRef = { name: 'web', uid: house.application().metadata.uid };
  const given = {
    applicationRef,
    verb: 'approve',
    actor: { user: 'ada', groups: [] },
    reason: 'seen',
    seen: { garbage: 'sha256:other' },
    ...spec,
  };
  await house.server.create({ ...KINDS.stageDecision, metadata: { name, namespace: 'shop' }, spec: given, ...status });
  await house.clock.advance(5_000);
}

const phaseOf = (house: ApplicationHouse, name: string) => readString(house.get(KINDS.stageDecision, name), 'status', 'phase');
const recordedOf = (house: ApplicationHouse) =>
  [...house.record.values()].flatMap(({ action, message, actor }) =>
    action.startsWith('decision.') ? `${actor} ${action} ${message.split(':')[0]}` : [],
  );

describe('a decision about what an application collects', () => {
  it('[design 13 J] is answered and put on record where nothing waits for it', async () => {
    await using house = await aHouse();
    await decide(house, 'late');
    expect([phaseOf(house, 'late'), recordedOf(house)]).toEqual(['Rejected', ['ada decision.approve Rejected']]);
    expect(readString(house.get(KINDS.stageDecision, 'late'), 'status', 'at')).toBeDefined();
  });

  it('[design 13 J] is put on record also where somebody else answered it, and never before it is answered', async () => {
    await using house = await aHouse();
    await decide(house, 'answered', {}, { status: { phase: 'Rejected', message: 'nobody drives', at: '2026-01-01T09:00:00Z' } });
    expect(recordedOf(house)).toEqual(['ada decision.approve Rejected']);
    await decide(house, 'about-a-rollout', { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'r' }, verb: 'pause' });
    await decide(
      house,
      'of-a-rollout',
      { applicationRef: undefined, rolloutRef: { name: 'web', uid: 'r' } },
      { status: { phase: 'Accepted' } },
    );
    expect(recordedOf(house)).toHaveLength(1); // those are put there by the engine of rollouts
    expect(phaseOf(house, 'about-a-rollout')).toBeUndefined();
  });

  it('[issue 9.4] is not refused by what a copy that is behind says of the application', async () => {
    await using house = await aHouse();
    house.informers.fall('Application', 'behind');
    await house.apply(set('b'));
    await decide(house, 'early');
    await house.clock.advance(30_000);
    expect([phaseOf(house, 'early'), recordedOf(house)]).toEqual([undefined, []]);
    house.informers.recover();
    await house.clock.advance(30_000);
    expect([phaseOf(house, 'early'), recordedOf(house)]).toEqual(['Rejected', ['ada decision.approve Rejected']]);
  });
});
