import { describe, expect, it } from 'vitest';
import type { Instant } from '@/lib/std/instant';
import { compareRevisions } from '@/server/chartsync/describe/compare-revisions';
import type { Clock } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';

const CANARY = 'canary-51aa-of-a-secret';
const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const secret = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key' },
  data: { password: Buffer.from(value).toString('base64') },
});
const content = (values: object, objects: Parameters<typeof compareRevisions>[0]['objects'], notes = '') => ({
  values: values as Parameters<typeof compareRevisions>[0]['values'],
  objects,
  notes,
});

function compare(
  from: Parameters<typeof compareRevisions>[0],
  to: Parameters<typeof compareRevisions>[1],
  { inline = {}, hides = true } = {},
) {
  return compareRevisions(from, to, { namespace: 'pay', inline, hides, clock: new ManualClock() });
}

/** A clock by which every look at a member of `slow` values takes ten milliseconds, and the turns of others that were waited for by it. */
function slowly() {
  let [ms, turns] = [0, 0];
  const clock: Clock = {
    now: () => ms as Instant,
    steadyMs: () => ms,
    schedule: () => () => undefined,
    hold: () => () => undefined,
    async sleep() {
      turns++;
    },
  };
  const slow = (text: string) => ({
    get text() {
      ms += 10;
      return text;
    },
  });
  return { clock, slow, turns: () => turns };
}

describe('two stored revisions', () => {
  it('[design 14] let others have their turn between the values of the one and of the other, as they are masked and as they are written', async () => {
    const { clock, slow, turns } = slowly();
    const told = await compareRevisions(content(slow('one'), []), content(slow('two'), []), {
      namespace: 'pay',
      inline: {},
      hides: false,
      clock,
    });
    expect(told.values.map(({ text }) => text)).toEqual(['text: one', 'text: two']);
    expect(turns()).toBe(5);
  });

  it('[issue 12.4] differ by object and line, and what is equal is left out', async () => {
    const told = await compare(
      content({ image: 'app:1' }, [config('same', { a: '1' }), config('web', { a: '1', b: '2' }), config('old', {})]),
      content({ image: 'app:2' }, [config('same', { a: '1' }), config('web', { a: '1', b: '3' }), config('new', {})], 'Enjoy app:2'),
      { hides: false },
    );
    expect(told.objects.map(({ change, name, ns }) => `${change} ${ns}/${name}`)).toEqual([
      'created pay/new',
      'deleted pay/old',
      'changed pay/web',
    ]);
    const lines = (told.objects.find(({ name }) => name === 'web')?.diff ?? []).filter(({ sign }) => sign === '+' || sign === '-');
    expect(lines).toEqual([
      { sign: '-', text: '  b: "2"' },
      { sign: '+', text: '  b: "3"' },
    ]);
    expect(told).toMatchObject({ valuesDiffer: true, hidesValues: false, notes: 'Enjoy app:2' });
    expect(told.values.map(({ text }) => text)).toEqual(['image: app:1', 'image: app:2']);
  });

  it('[issue 12.4] quote texts that Helm would read as something else', async () => {
    const told = await compare(content({ on: 'no' }, []), content({ on: 'yes' }, [config('web', { mode: '0644' })]), { hides: false });
    expect(told.values.map(({ text }) => text)).toEqual(['"on": "no"', '"on": "yes"']);
    expect(told.objects[0]?.diff?.at(-1)?.text).toBe('  mode: "0644"');
  });

  it('[design 8] tell no value of a Secret, and none that does not stand in the resource where values are hidden', async () => {
    const values = (token: string) => ({ token, replicas: 3, nested: { of: [token] } });
    const from = content(values(`${CANARY}-1`), [config('web', { url: `https://a:${CANARY}-1@x` }), secret(`${CANARY}-1`)]);
    const to = content(
      values(`${CANARY}-2`),
      [config('web', { url: `https://a:${CANARY}-2@x`, more: 'yes' }), secret(`${CANARY}-2`)],
      `call with ${CANARY}-2`,
    );
    const told = await compare(from, to, { inline: { replicas: 3 } });
    const text = JSON.stringify(told);
    expect([CANARY, Buffer.from(CANARY).toString('base64').slice(0, 12)].filter((each) => text.includes(each))).toEqual([]);
    expect(told).toMatchObject({ values: [], valuesDiffer: true, hidesValues: true, notes: 'call with [masked]' });
    expect(told.objects.map(({ kind, change, diff }) => [kind, change, diff?.length === 0])).toEqual([
      ['ConfigMap', 'changed', false],
      ['Secret', 'changed', true],
    ]);
    const open = await compare(from, to, { hides: false });
    expect(JSON.stringify(open.objects.filter(({ kind }) => kind === 'Secret'))).not.toContain(
      Buffer.from(CANARY).toString('base64').slice(0, 12),
    );
  });

  it('[issue 10.1] tell no password of an address and no Secret in a text, also to whoever sees all values', async () => {
    const side = (at: string) => {
      const file = `kind: Secret\nstringData: { password: ${CANARY} }\n`;
      const values = { at: `https://app:${CANARY}@${at}`, file };
      return content(values, [config('web', values)], `open https://app:${CANARY}@${at} or https://other:${CANARY}@${at}/login`);
    };
    for (const inline of [{}, side('two').values]) {
      const told = await compare(side('one'), side('two'), { inline, hides: false });
      expect(JSON.stringify(told)).not.toContain(CANARY);
      expect(told.values.map(({ text }) => text)).toContain('at: https://••••••••@two');
      expect(told.objects[0]?.diff?.map(({ text }) => text)).toContain('  at: https://••••••••@two');
    }
  });

  it('[issue 12.4] show values that stand at the same place in the resource, and only there', async () => {
    const told = await compare(content({ image: 'app:1', other: 'x' }, []), content({ image: 'app:2', other: 'app:2' }, []), {
      inline: { image: 'app:2' },
    });
    const shown = told.values.filter(({ sign }) => sign !== '…').map(({ sign, text }) => `${sign} ${text}`);
    expect(shown).toEqual(['- image: ••••••••', '+ image: app:2', '  other: ••••••••']);
  });
});
