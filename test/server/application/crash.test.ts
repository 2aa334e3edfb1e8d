import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { PLAN } from '@/lib/kube/kinds';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const policy = (control: object = {}) => [{ name: 'staged', type: 'rollout', properties: { ratio: 20, control } }];
const web = (image: string, replicas = 10) => ({
  name: 'web',
  type: 'webservice',
  properties: { image, ports: [{ port: 80, expose: true }] },
  traits: [{ type: 'scaler', properties: { replicas } }],
});
const staged = (image: string, control: object = {}, more: object[] = []) => ({
  components: [web(image), ...more],
  policies: policy(control),
});
const config = (name: string) => ({
  name: 'settings',
  type: 'k8s-objects',
  properties: { objects: [{ ...CONFIG_MAP, metadata: { name } }] },
});

async function firstRollout(control: object = {}, more: object[] = []): Promise<ApplicationHouse> {
  const house = await new ApplicationHouse().start();
  await house.apply(staged('web:1', control, more));
  await house.finishRollout();
  return house;
}

describe('a crash', () => {
  interface Mortal {
    revive(): void;
  }

  /** An upgrade during which the engine dies once; it is started again before the rollout ends, and after. */
  const life = async (house: ApplicationHouse, crash: (house: ApplicationHouse) => Mortal, isSeen = false) => {
    const apply = (spec: unknown) => (isSeen ? house.applySeen(spec) : house.apply(spec));
    await apply(staged('web:1', { scaleDownDelaySeconds: 0 }, [config('old')]));
    await house.finishRollout();
    const mortal = crash(house);
    const resume = async () => {
      mortal.revive();
      await house.restart();
      await house.clock.advance(60_000);
    };
    await apply(staged('web:2', { scaleDownDelaySeconds: 0 }, [config('new')]));
    await resume();
    await house.finishRollout();
    await resume();
  };

  const repeated = (keys: readonly string[]) => keys.filter((key, at) => keys.indexOf(key) !== at);

  const summary = (house: ApplicationHouse) => ({
    createdTwice: repeated(house.server.requests.filter(({ verb, succeeded }) => verb === 'create' && succeeded).map(({ key }) => key)),
    deleted: house.server.requests.filter(({ verb, succeeded }) => verb === 'delete' && succeeded).map(({ key }) => key),
    deployments: house.deployments(),
    latest: house.latest(),
    trackers: house.server
      .all()
      .filter(({ kind }) => kind === 'ResourceTracker')
      .map(({ metadata }) => metadata.name),
    configs: house.server
      .all()
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata }) => metadata.name),
    revisions: house.server
      .all()
      .filter(({ kind }) => kind === 'ApplicationRevision')
      .map(({ metadata }) => metadata.name),
  });

  /** After the n-th write of the engine nothing answers any more; the write itself arrived, or did not. */
  function dieAt(house: ApplicationHouse, nth: number, arrived: boolean): Mortal {
    let writes = 0;
    let dead = false;
    // Applications and the status of the rollout are also written by the test.
    const counts = (verb: string, kind: string) =>
      verb !== 'get' && verb !== 'list' && kind !== 'Application' && !(kind === 'RolloutOrchestrator' && verb === 'updateStatus');
    const dieIf = (dies: boolean) => {
      dead ||= dies;
      if (dead) throw new Error('the connection was cut');
    };
    house.server.onRequest = (verb, { kind }) => dieIf(!arrived && counts(verb, kind) && ++writes === nth);
    house.server.onAnswer = (verb, { kind }) => dieIf(arrived && counts(verb, kind) && ++writes === nth);
    return {
      revive: () => {
        dead = false;
      },
    };
  }

  it.each([
    ['before it arrives', false, false],
    ['after it arrived', true, false],
    ['before it arrives, with a plan that was seen', false, true],
    ['after it arrived, with a plan that was seen', true, true],
  ])(
    '[design 13 K] at any write of an upgrade, %s, resumes to the same end, with nothing created or deleted twice',
    async (_when, arrived, isSeen) => {
      await using calm = await new ApplicationHouse().start();
      await life(calm, () => ({ revive: () => undefined }), isSeen);
      const wanted = summary(calm);
      expect(wanted).toMatchObject({
        createdTwice: [],
        deployments: ['web-v2'],
        latest: 'web-v2',
        trackers: ['web-v2-shop'],
        configs: ['new'],
      });
      for (let nth = 1; nth <= 16; nth++) {
        await using house = await new ApplicationHouse().start();
        await life(house, () => dieAt(house, nth, arrived), isSeen);
        expect(summary(house), `dying at write ${nth}`).toEqual(wanted);
        // Whatever was accepted once is done to its end, and the plan is spent.
        expect(house.application().metadata.annotations?.[PLAN.seen], `dying at write ${nth}`).toBeUndefined();
      }
    },
  );

  it('[design 13 K] in the middle of a collection leaves the digest as it was seen, and the rest goes', async () => {
    await using house = await firstRollout({ scaleDownDelaySeconds: 0 }, [config('old')]);
    await house.apply(staged('web:2', { scaleDownDelaySeconds: 0 }));
    house.server.addFaults([{ verb: 'delete', kind: 'ConfigMap', code: 500, times: 100 }]);
    const seenGarbage = readString(house.application(), 'status', 'collection', 'digest');
    await house.finishRollout({ seenGarbage });
    expect([house.deployments(), house.get(CONFIG_MAP, 'old') !== undefined]).toEqual([['web-v2'], true]);
    house.server.clearFaults();
    await house.restart();
    await house.clock.advance(60_000);
    expect([house.get(CONFIG_MAP, 'old'), house.latest()]).toEqual([undefined, 'web-v2']);
  });

  it('[design 11] a restart in a settled state writes nothing', async () => {
    await using house = await firstRollout({}, [config('old')]);
    house.takeWrites();
    await house.restart();
    await house.clock.advance(30 * 60_000);
    expect(house.takeWrites()).toEqual([]);
  });
});
