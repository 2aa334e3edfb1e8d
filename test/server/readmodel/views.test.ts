import { describe, expect, it } from 'vitest';
import { aStorefront } from '../../support/applications';
import { startHouse } from '../../support/house';
import { openRows } from './rig';

describe('the page of an object', () => {
  it('[design 14] is made once for whoever opens it: to know that there is one takes no second making', async () => {
    let asked = 0;
    const count = () => {
      asked++;
      return false;
    };
    await using house = await startHouse();
    await using rows = await openRows(house, { failsFor: count });
    const topic = { kind: 'application', ns: house.ns, name: 'web' } as const;
    await house.apply(aStorefront({}));
    await house.until('the page is there', () => rows.see(topic) !== undefined);
    const ofMaking = (work: () => unknown) => {
      const before = asked;
      work();
      return asked - before;
    };
    let window: ReturnType<typeof rows.model.open>;
    const opening = ofMaking(() => {
      window = rows.model.open(topic, 'all');
    });
    const looking = ofMaking(() => window?.snapshot());
    window?.release();
    expect(looking).toBeGreaterThan(0);
    expect(opening).toBe(looking);
  });
});
