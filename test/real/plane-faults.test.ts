import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printFigure } from '@/test/support/figure';
import { PLANE_FAULTS } from '@/test/support/plane/faults';
import { killLeader } from '@/test/support/plane/killed-leader';
import type { PlaneScene } from '@/test/support/plane/scene';
import { openPlaneScene } from '@/test/support/plane/scene';
import type { PlaneEnding } from '@/test/support/plane/upgrade';

const TAKE_OVER_MS = 15_000;
const SHORT = Object.entries(PLANE_FAULTS).filter(([, { isLong }]) => !isLong);

// The long ones: npm run test:long -- faults --plane.
describe('an upgrade on a control plane that fails', () => {
  let scene: PlaneScene;
  let undisturbed: PlaneEnding;

  beforeAll(async () => {
    scene = await openPlaneScene();
    undisturbed = await scene.upgrade('undisturbed');
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  it('[issue 10.6] is made once, with nothing more deleted than what the second revision lacks', () => {
    expect(undisturbed.madeTwice).toEqual([]);
    expect(undisturbed.deleted).toEqual(['configmaps old', 'deployments web-v1', 'resourcetrackers web-v1-ns']);
    expect(undisturbed.trackers).toEqual(['web-v2']);
  });

  it.each(SHORT)('[issue 10.6] comes to the same: %s', async (name, { strike }) => {
    let told = '';
    const ending = await scene.upgrade(name, async () => {
      told = await strike(scene);
    });
    expect(told).not.toBe('');
    expect(ending).toEqual(undisturbed);
    expect(await scene.verify()).toBeNull();
  });

  it('[issue 10.6] comes to the same when the leader is killed and another takes over, on one record', async () => {
    const second = await scene.addServer();
    let tookMs = 0;
    const ending = await scene.upgrade('killed', async () => {
      tookMs = await killLeader(scene, second);
    });
    printFigure('the next act after the leader is killed comes after', tookMs, TAKE_OVER_MS, 'ms');
    expect(ending).toEqual(undisturbed);
    expect(await scene.verify()).toBeNull();
  });
});
