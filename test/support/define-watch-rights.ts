import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import type { RightsScene, RightsSceneOptions, TakeAway } from './watch-rights';
import { openRightsScene, polledKinds, treeOf } from './watch-rights';

const LIMIT_MS = 60_000;
const NAMES = { timeout: LIMIT_MS, interval: 100 } as const;
/** The kinds of the tree, in the order in which their watches are taken away. */
const WATCHES = [
  ['pods', 'Pod'],
  ['replicasets', 'ReplicaSet'],
  ['deployments', 'Deployment'],
  ['configmaps', 'ConfigMap'],
  ['services', 'Service'],
  ['endpointslices', 'EndpointSlice'],
  ['applications', 'Application'],
] as const;

export interface WatchRights extends AsyncDisposable {
  readonly options: RightsSceneOptions;
  /** How a right is taken away here, from a server that is reached through the scene's proxy. */
  readonly takeAway: (scene: RightsScene) => TakeAway;
}

/** What a page that stays open shows while rights to watch, list and get are taken away from the server, and given back. */
export function defineWatchRights(ground: string, prepare: () => Promise<WatchRights>): void {
  describe(`rights removed while the page is open, ${ground}`, () => {
    let rights: WatchRights;
    let scene: RightsScene;
    let opened: number;
    const given: (() => Promise<void>)[] = [];

    const take = async (...right: Parameters<TakeAway>) => {
      const give = await rights.takeAway(scene)(...right);
      given.push(give);
      return give;
    };
    const giveBack = async () => {
      for (const give of given.splice(0)) await give();
    };
    const page = () => scene.operator.page;
    const lineOf = async (kind: string, name: string) => (await treeOf(page())).find(({ what }) => what.startsWith(`${kind}${name}`));
    const allWatched = async () => {
      await expect.poll(() => polledKinds(page()), NAMES).toEqual([]);
      await expect.poll(() => scene.readyz(), NAMES).toBe('ok\n');
      expect(await scene.polls()).toEqual([]);
    };

    beforeAll(async () => {
      rights = await prepare();
      scene = await openRightsScene(rights.options);
      opened = await page().evaluate(() => performance.timeOrigin);
    });
    afterEach(giveBack);
    afterAll(async () => {
      await scene?.[Symbol.asyncDispose]();
      await rights?.[Symbol.asyncDispose]();
    });

    it('[issue 9.1] one kind that may not be watched is polled: its rows say so, the Engine page and /readyz name it, and what changes is seen', async () => {
      expect(await polledKinds(page())).toEqual([]);
      await take({ verb: 'watch', resource: 'pods' });
      await expect.poll(() => polledKinds(page()), NAMES).toEqual(['Pod']);
      await expect.poll(() => scene.readyz(), NAMES).toMatch(/^ok\nPod objects cannot be watched, they are polled every 1s: /);
      const round = { groups: 1, lists: 1, gets: 0, lastError: null };
      await expect.poll(() => scene.polls(), NAMES).toMatchObject([{ kind: 'Pod', verb: 'watch', everyMs: 1000, round }]);
      await expect.poll(() => scene.pollRow('Pod'), NAMES).toMatch(/^Pod110.*(now|ago), every 1swatch refused: /);
      const pods = async () =>
        (await treeOf(page())).filter(({ what }) => what.startsWith('Pod')).map(({ what }) => what.replace(/Pod is.*|polled.*/, ''));
      const [first = ''] = await pods();
      await scene.cluster.delete({ ...KINDS.pod, namespace: rights.options.namespace, name: first.slice('Pod'.length) });
      await expect.poll(async () => (await pods()).includes(first), NAMES).toBe(false);
      await expect.poll(async () => (await treeOf(page())).filter(({ what }) => /^Pod.*Pod is Ready/.test(what)).length, NAMES).toBe(3);
      await giveBack();
      await allWatched();
    });

    it('[issue 9.1] one watch after another is removed, and with none left a change is applied and seen on polls alone', async () => {
      const gone: string[] = [];
      for (const [resource, kind] of WATCHES) {
        await take({ verb: 'watch', resource });
        gone.push(kind);
        await expect.poll(() => polledKinds(page()), NAMES).toEqual([...gone].sort());
      }
      await take({ verb: 'watch' });
      await expect.poll(async () => (await scene.polls()).length, NAMES).toBeGreaterThan(WATCHES.length);
      await page()
        .getByText(/Everything matches web-v1, as polled/)
        .waitFor({ timeout: LIMIT_MS });
      await scene.apply('registry.example.com/web:2');
      await expect.poll(async () => (await lineOf('Deployment', 'web'))?.what, NAMES).toMatch(/web-v2.*Replicas: 3.*polled/);
      await page()
        .getByText(/Everything matches web-v2, as polled/)
        .waitFor({ timeout: LIMIT_MS });
      expect(await page().getByText('The data may be out of date').count()).toBe(0);
      await giveBack();
      await allWatched();
      await page()
        .getByText(/Everything matches web-v2, from live watches/)
        .waitFor({ timeout: LIMIT_MS });
    });

    it('[issue 9.1] what may not be listed is read one by one; what may not be read either is Unknown with the missing right, by itself', async () => {
      await take({ verb: 'watch', resource: 'configmaps' });
      const giveList = await take({ verb: 'list', resource: 'configmaps' });
      await expect.poll(() => polledKinds(page()), NAMES).toEqual(['ConfigMap']);
      await expect.poll(async () => (await scene.polls())[0]?.round, NAMES).toMatchObject({ groups: 1, lists: 1, gets: 2 });
      await take({ verb: 'get', resource: 'configmaps', name: 'kept' });
      const sentence = /recorded, but it is unknown whether it exists: configmaps.* is forbidden: .*"?configmaps/;
      await expect.poll(async () => (await lineOf('ConfigMap', 'kept'))?.what, NAMES).toMatch(sentence);
      expect((await lineOf('ConfigMap', 'settings'))?.what).toContain('Resource is always ready');
      expect((await lineOf('Deployment', 'web'))?.what).toMatch(/Deployment is available/);
      await page()
        .getByText(/1 object cannot be compared; the rest matches web-v2/)
        .waitFor({ timeout: LIMIT_MS });
      const application = { ...KINDS.application, namespace: rights.options.namespace, name: 'web' };
      const ready = async () => getCondition(await scene.cluster.get(application), 'Ready')?.message;
      await expect.poll(ready, NAMES).toMatch(/^ConfigMap kept: configmaps.* is forbidden/);
      await expect
        .poll(() => scene.readyz(), NAMES)
        .toMatch(/^ok\nConfigMap objects cannot be (?:watched|listed), .*; not everything could be read: configmaps.* is forbidden/);
      await giveList();
      await expect.poll(async () => (await lineOf('ConfigMap', 'kept'))?.what, NAMES).toMatch(/Resource is always ready.*polled/);
      await expect.poll(ready, NAMES).toBe('everything is ready');
      await giveBack();
      await allWatched();
      expect(await page().evaluate(() => performance.timeOrigin)).toBe(opened);
      expect(scene.operator.faults).toEqual([]);
    });
  });
}
