import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import type { ApiReader } from '@/server/status/cluster/api-reader';
import type { KindMapper } from '@/server/status/cluster/kind-mapper';
import { NoKindMatchError } from '@/server/status/cluster/kind-mapper';
import { compute } from '@/server/status/compute';
import type { ObjMetadata } from '@/server/status/identifier';
import { parseObjMetadata } from '@/server/status/identifier';
import { PollerEngine } from '@/server/status/polling/poller-engine';
import { defaultStatusReaders, selectReader } from '@/server/status/readers/default-readers';
import type { StatusEvent } from '@/server/status/resource-status';
import { ComputeError, STATUSES } from '@/server/status/result';
import { compileRules } from '@/server/status/rules/compile';
import { ManualClock } from '@/test/support/manual-clock';
import { aPod, aReplicaSet } from './objects';
import { OUR_RULES } from './rules/evaluate';

const NOW = toInstant(Date.UTC(2031, 4, 4));
const web: ObjMetadata = { namespace: 'shop', name: 'web', group: '', kind: 'ConfigMap' };
const served: KindMapper = {
  map: async ({ kind }) => ({ version: 'v1', plural: `${kind.toLowerCase()}s`, namespaced: true }),
  reset: () => undefined,
};
const failing = (error: Error): KindMapper => ({ map: () => Promise.reject(error), reset: () => undefined });

/** An API of these objects, which counts what it is asked. */
function apiOf(...items: readonly KubeObject[]) {
  const asked: string[] = [];
  const api: ApiReader = {
    get: async () => {
      throw new Error('objects are listed, not fetched');
    },
    listPage: async ({ kind }) => {
      asked.push(kind);
      return { items: items.filter((item) => item.kind === kind), resourceVersion: '1', continue: '' };
    },
  };
  return { api, asked };
}

interface PollCase {
  readonly identifiers?: readonly ObjMetadata[];
  readonly mapper?: KindMapper;
  readonly objects?: readonly KubeObject[];
  readonly pollIntervalMs?: number;
  readonly brokenFactory?: boolean;
}

/** What three rounds of polling tell, and what they ask. */
async function poll({ identifiers = [web], mapper = served, objects = [], pollIntervalMs = 1000, brokenFactory = false }: PollCase) {
  const clock = new ManualClock();
  const { api, asked } = apiOf(...objects);
  const breaking = {
    clusterReaderFactory: async () => {
      throw new Error('no room');
    },
  };
  const engine = new PollerEngine({ api, mapper, clock, ...(brokenFactory ? breaking : {}) });
  const stopping = new AbortController();
  const events: StatusEvent[] = [];
  let hasEnded = false;
  const consuming = (async () => {
    for await (const event of engine.poll(identifiers, { signal: stopping.signal, pollIntervalMs })) events.push(event);
    hasEnded = true;
  })();
  await clock.advance(2500);
  const endedByItself = hasEnded;
  stopping.abort();
  await consuming;
  return { events, asked, endedByItself };
}

describe('identifiers that do not parse', () => {
  it.each([
    ['', 'unable to parse stored object metadata: '],
    ['web', 'unable to parse stored object metadata: web'],
    ['shop_web', 'unable to parse stored object metadata: web'],
    ['shop_web_Deployment', 'unable to parse stored object metadata: web'],
    ['shop_a_b_apps_Deployment', 'too many fields within: a_b_apps'],
    ['shop_a___b_apps_Deployment', 'too many fields within: a___b_apps'],
  ])('[status 2] %j', (text, sentence) => {
    expect(() => parseObjMetadata(text)).toThrow(new Error(sentence));
  });

  it('[status 2] any text is an identifier or one of two sentences', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[ab_:]{0,12}$/)), (text) => {
        try {
          expect(parseObjMetadata(text).name).not.toContain('_');
        } catch (error) {
          expect(String(error)).toMatch(/^Error: (unable to parse stored object metadata|too many fields within): /);
        }
      }),
    );
  });
});

describe('polls that cannot be', () => {
  it.each([0, -1, Number.NEGATIVE_INFINITY, Number.NaN])(
    '[status 8.2] an interval of %d is one Error, and nothing is asked',
    async (pollIntervalMs) => {
      expect(await poll({ pollIntervalMs })).toEqual({
        events: [{ type: 'Error', error: { kind: 'transport', text: 'poll interval must be positive' } }],
        asked: [],
        endedByItself: true,
      });
    },
  );

  it('[status 8.2] an interval without an end is one Error, and nothing is asked', async () => {
    expect(await poll({ pollIntervalMs: Number.POSITIVE_INFINITY })).toEqual({
      events: [
        { type: 'Error', error: { kind: 'transport', text: 'poll interval must be a finite number of milliseconds, found Infinity' } },
      ],
      asked: [],
      endedByItself: true,
    });
  });

  it.each<readonly [string, PollCase, string]>([
    ['a reader that cannot be built', { brokenFactory: true }, 'error creating new ClusterReader: no room'],
    [
      'an identifier without its namespace',
      { brokenFactory: true, identifiers: [{ ...web, namespace: '' }] },
      'resource ConfigMap web is namespace scoped, but namespace is not set',
    ],
    ['discovery that fails', { brokenFactory: true, mapper: failing(new Error('discovery is down')) }, 'discovery is down'],
  ])('[status 8.2] %s is told before a wrong interval', async (_title, given, text) => {
    const { events, endedByItself } = await poll({ ...given, pollIntervalMs: 0 });
    expect(events).toEqual([{ type: 'Error', error: { kind: 'transport', text } }]);
    expect(endedByItself).toBe(true);
  });

  it('[status 8.2] no identifiers: nothing is told, and the end is the caller’s', async () => {
    expect(await poll({ identifiers: [] })).toEqual({ events: [], asked: [], endedByItself: false });
  });
});

describe('kinds that do not exist', () => {
  it('[status 12.9] a poll tells Unknown once, asks nothing of the API and goes on', async () => {
    const pump: ObjMetadata = { namespace: 'shop', name: 'p1', group: 'water.test', kind: 'Pump' };
    const { events, asked, endedByItself } = await poll({ identifiers: [pump], mapper: failing(new NoKindMatchError(pump)) });
    const text = 'no matches for kind "Pump" in group "water.test"';
    expect(events).toEqual([
      { type: 'Update', resource: { identifier: pump, status: 'Unknown', message: '', error: { kind: 'noMatch', text }, generated: [] } },
    ]);
    expect(asked).toEqual([]);
    expect(endedByItself).toBe(false);
  });
});

const thing = (members: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  ...members,
});

describe('statuses of wrong types', () => {
  it.each<readonly [string, KubeObject, string]>([
    ['a deletion time that is a number', thing({}, { deletionTimestamp: 5 }), 'looking up metadata.deletionTimestamp from resource: '],
    ['a generation that is a text', thing({}, { generation: '1' }), 'looking up metadata.generation from resource: '],
    ['a generation that is null', thing({}, { generation: null }), 'looking up metadata.generation from resource: '],
    [
      'an observed generation with a fraction',
      thing({ status: { observedGeneration: 1.5 } }, { generation: 1 }),
      'looking up status.observedGeneration from resource: ',
    ],
    ['a status that is a text', thing({ status: 'fine' }, { generation: 1 }), 'looking up status.observedGeneration from resource: '],
    ['a status that is a text beside no generation', thing({ status: 'fine' }), 'status must be a map, found "fine"'],
    ['conditions that are a map', thing({ status: { conditions: {} } }), 'status.conditions must be a list, found {}'],
    ['a condition that is a text', thing({ status: { conditions: ['Ready'] } }), 'status.conditions[0] must be a map, found "Ready"'],
    [
      'a condition whose status is a boolean',
      thing({ status: { conditions: [null, { type: 'Ready', status: true }] } }),
      'status.conditions[1].status must be a string, found true',
    ],
  ])('[status 4] %s is Unknown with the object and the reason, poll by poll but told once', async (_title, object, text) => {
    const { events } = await poll({ objects: [object] });
    expect(events).toEqual([
      {
        type: 'Update',
        resource: {
          identifier: web,
          status: 'Unknown',
          message: '',
          error: { kind: 'compute', text: expect.stringContaining(text) },
          resource: object,
          generated: [],
        },
      },
    ]);
  });

  it('[status 8.4] an owner that cannot be judged keeps its children', async () => {
    const owner = { ...aReplicaSet('web'), status: { conditions: 'none' } };
    const told = await selectReader(defaultStatusReaders({ now: () => NOW }), { group: 'apps', kind: 'ReplicaSet' }).readStatusForObject(
      new AbortController().signal,
      {
        sync: async () => undefined,
        get: () => Promise.reject(new Error('nothing is fetched')),
        listClusterScoped: () => Promise.reject(new Error('nothing is listed in all namespaces')),
        listNamespaceScoped: async () => [aPod('web', 'a', { phase: 'Running', ready: true })],
      },
      owner,
    );
    expect(told).toMatchObject({
      status: 'Unknown',
      message: '',
      error: { kind: 'compute', text: 'status.conditions must be a list, found "none"' },
    });
    expect(told.generated.map(({ status }) => status)).toEqual(['Current']);
  });

  it('[status 11.7] the rules of the house answer or throw ComputeError, whatever an object holds', () => {
    const rules = compileRules(OUR_RULES);
    const kinds = fc.constantFrom(...OUR_RULES.map(({ kind }) => kind));
    const words = fc.constantFrom(
      'conditions',
      'parents',
      'listeners',
      'phase',
      'parentRefs',
      'loadBalancer',
      'ingress',
      'observedGeneration',
      'control',
      'type',
      'status',
      'Ready',
    );
    const anything = fc.object({ key: words, maxDepth: 4 });
    fc.assert(
      fc.property(kinds, anything, anything, (key, spec, status) => {
        const [group, kind = ''] = key.split('/');
        try {
          const told = compute({ apiVersion: `${group}/v1`, kind, metadata: { name: 'any', generation: 1 }, spec, status }, NOW, {
            rules,
            profile: 'health',
          });
          expect(STATUSES).toContain(told.status);
          expect(told.message).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(ComputeError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
