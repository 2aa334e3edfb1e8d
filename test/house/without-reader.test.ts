import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

/** How long a grant may take until it is noticed. */
const NOTICED_MS = 60_000;

const store = (house: House, kind: string) =>
  house.informers.all().find(({ scope }) => scope.kind === kind && scope.labelSelector === undefined);
const applied = async (house: House) => {
  const application = await house.get(KINDS.application, 'web');
  return application && getCondition(application, 'Applied');
};

describe('a server to which not even the role of readers is bound', () => {
  it('[issue 10.1] waits with an application until its namespace is granted, then watches there what it could not read, and rolls it out', async () => {
    await using house = await startHouse({ asServer: 'without the reader' });
    await house.apply(aStorefront({ image: 'registry.example.com/web:1' }));
    await house.until('the application waits', async () => (await applied(house))?.reason === 'NotGranted');
    expect((await applied(house))?.message).toContain('may not create, list, patch deployments.apps');
    expect((await applied(house))?.message).toContain(`slipway grant ${house.ns} | kubectl apply -f -`);
    expect(store(house, 'Deployment')?.covers(house.ns)).toMatchObject({ kind: 'refused' });

    for (const object of grantObjects(house.ns)) await house.cluster.create(object);
    await house.until('the first revision runs', async () => (await house.ready('web-v1')) === 4, NOTICED_MS);
    for (const kind of ['Deployment', 'Pod', 'HorizontalPodAutoscaler']) {
      expect(store(house, kind)?.health().watchedIn, kind).toEqual([house.ns]);
      expect(store(house, kind)?.knowledge(`${house.ns}/web-v1`)).toEqual({ kind: 'watched' });
      expect(store(house, kind)?.covers('kube-system')).toEqual({ kind: 'unasked' });
    }
    await house.until(
      'it runs',
      async () => readString(await house.get(KINDS.application, 'web'), 'status', 'status') === 'running',
      NOTICED_MS,
    );
    await house.apply(aStorefront({ image: 'registry.example.com/web:2' }));
    await house.until(
      'the second revision took over',
      async () => (await house.ready('web-v2')) === 4 && (await house.ready('web-v1')) === 0,
    );
    expect(house.findings()).toEqual([]);
    // A watch by namespace is a sign of life like any other: a write that it never shows is not waited for without end.
    await house.advance(5 * NOTICED_MS);
    for (const kind of ['Deployment', 'HorizontalPodAutoscaler']) {
      const { lastContactAt = 0 } = store(house, kind)?.health() ?? {};
      expect(house.clock.now() - lastContactAt, kind).toBeLessThanOrEqual(2 * NOTICED_MS);
    }
  });
});
