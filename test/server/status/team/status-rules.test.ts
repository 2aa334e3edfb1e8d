import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { logFaults, StatusRules } from '@/server/status';
import { compute } from '@/server/status/compute';
import { ManualClock } from '@/test/support/manual-clock';
import { until } from '@/test/support/until';
import { FakeStore } from '../../framework/fake-store';
import { anObject, condition } from '../rules/evaluate';

const LUA = 'test/fixtures/status/lua';
const rules = (message: string) =>
  `rules: [{ kind: water.example.com/Pump, rows: [{ when: [{ path: .spec.mine, is: true }], status: Current, message: ${message} }] }]`;
const aPump = (spec: object, status?: object) => anObject('water.example.com/v1', 'Pump', { spec, ...(status ? { status } : {}) });
const aConfigMap = (name: string, data: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'ops', name },
  data,
});

let folder: string;
let file: string;
let clock: ManualClock;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-team-'));
  file = path.join(folder, 'rules.yaml');
  clock = new ManualClock();
});
afterEach(() => rm(folder, { recursive: true }));

function informersOf(store: FakeStore) {
  return { open: () => ({ store, release: () => undefined, [Symbol.asyncDispose]: async () => undefined }) };
}

const LATER = /is being asked|takes longer than 45 ms|waits for its thread/;

/** What is told once Lua has answered, which on a busy machine is asked for more than once. */
async function tell(of: StatusRules, object: KubeObject) {
  let told = compute(object, clock.now(), of.options);
  await until('Lua has answered', () => {
    told = compute(object, clock.now(), of.options);
    return !LATER.test(told.message);
  });
  return told;
}

/** Lets the interval pass until something was heard. */
async function untilHeard(of: StatusRules, change: () => Promise<unknown>): Promise<void> {
  let heard = false;
  const release = of.onChange(() => {
    heard = true;
  });
  await change();
  await until('the change is heard', async () => {
    await clock.advance(10_000);
    return heard;
  });
  release();
}

describe('a team’s own rules', () => {
  it('are read again when their file changes, in the same options', async () => {
    await writeFile(file, rules('old'));
    await using team = await StatusRules.open({ statusRules: file }, clock);
    team.follow(informersOf(new FakeStore()));
    const copied = { ...team.options };
    expect(await tell(team, aPump({ mine: true }))).toMatchObject({
      message: 'old',
      rule: `kind rule water.example.com/Pump row 1 of ${file}`,
    });
    await untilHeard(team, () => writeFile(file, rules('new')));
    expect(compute(aPump({ mine: true }), clock.now(), copied).message).toBe('new');
  });

  it('stay in force while their file is wrong, which is told with its sentences until it is right again', async () => {
    await writeFile(file, rules('good'));
    await using team = await StatusRules.open({ statusRules: file }, clock);
    const logged: unknown[] = [];
    logFaults(team, { warn: (said: unknown) => void logged.push(said), info: (said: unknown) => void logged.push(said) });
    team.follow(informersOf(new FakeStore()));
    await untilHeard(team, () => writeFile(file, 'rules: [{ kind: pump, rows: no }]'));
    expect(logged).toMatchObject([
      { place: file, faults: [expect.stringContaining('rules[0].kind'), expect.stringContaining('rules[0].rows')] },
    ]);
    expect((await tell(team, aPump({ mine: true }))).message).toBe('good');
    expect(team.sources()).toMatchObject([
      {
        place: file,
        keys: ['water.example.com/Pump'],
        fault: { sentences: [expect.stringContaining('rules[0].kind'), expect.stringContaining('rules[0].rows')] },
      },
    ]);
    await untilHeard(team, () => rm(file));
    expect(team.sources()[0]?.fault?.sentences).toEqual([expect.stringContaining('cannot be read')]);
    await untilHeard(team, () => writeFile(file, rules('good')));
    expect(team.sources()[0]?.fault).toBeUndefined();
    expect(logged.slice(1)).toEqual([
      expect.objectContaining({ faults: [`the status rules of ${file} cannot be read: there is no such file`] }),
      { setting: '--status-rules', place: file },
    ]);
  });

  it('come from several files, later ones first, and from ConfigMaps as they change', async () => {
    const second = path.join(folder, 'second.yaml');
    await writeFile(file, rules('first'));
    await writeFile(second, rules('second'));
    const store = new FakeStore();
    await using team = await StatusRules.open({ statusRules: `${file}, ${second},configmap:ops/rules` }, clock);
    expect((await tell(team, aPump({ mine: true }))).message).toBe('second');
    team.follow(informersOf(store));
    expect(team.sources()[2]).toMatchObject({
      place: 'configmap:ops/rules',
      fault: { sentences: ['configmap:ops/rules: there is no such ConfigMap'] },
    });
    store.put(aConfigMap('other', { 'rules.yaml': rules('other') }));
    store.put(aConfigMap('rules', { 'rules.yaml': rules('mapped'), note: 'no rules' }));
    expect((await tell(team, aPump({ mine: true }))).message).toBe('mapped');
    store.put(aConfigMap('rules', { 'rules.yaml': 'rules: no' }));
    expect((await tell(team, aPump({ mine: true }))).message).toBe('mapped');
    expect(team.sources()[2]?.fault?.sentences).toEqual(['configmap:ops/rules rules.yaml: rules must be a list of rules, found "no"']);
  });

  it('may not name a ConfigMap without its namespace', async () => {
    await expect(StatusRules.open({ statusRules: 'configmap:rules' }, clock)).rejects.toThrow(
      '--status-rules needs configmap:NAMESPACE/NAME',
    );
  });
});

describe('Argo CD’s health checks', () => {
  it('come before ours, before every check but deletion, and after a team’s own rules', async () => {
    await writeFile(file, rules('mine'));
    await using team = await StatusRules.open({ statusRules: file, healthLua: LUA }, clock);
    const dry = { observedGeneration: 1, valves: [1], conditions: [condition('Dry', 'True', 'Dry', 'no water')] };
    const pump = { ...aPump({ valves: 2 }, dry), metadata: { name: 'one', generation: 2 } };
    expect(await tell(team, pump)).toMatchObject({ status: 'InProgress', rule: 'kstatus' }); // a rule of the team stands before it, and its checks with it
    await rm(file);
    await using alone = await StatusRules.open({ healthLua: LUA }, clock);
    expect(await tell(alone, pump)).toMatchObject({
      status: 'Failed',
      message: 'no water',
      rule: `Lua water.example.com/Pump of ${LUA}/water.example.com/Pump/health.lua`,
    });
    expect((await tell(alone, aPump({ valves: 2 }))).message).toBe('Waiting for status');
    expect((await tell(alone, { ...pump, metadata: { name: 'one', deletionTimestamp: '2031-01-01T00:00:00Z' } })).status).toBe(
      'Terminating',
    );
  });

  it('leave to us what they tell nothing of, and serve families', async () => {
    await using team = await StatusRules.open({ healthLua: LUA }, clock);
    const of = (spec: object, status?: object) => anObject('water.example.org/v1', 'Gate', { spec, ...(status ? { status } : {}) });
    expect(await tell(team, of({ paused: true }))).toMatchObject({ status: 'InProgress', message: 'Gate is paused' });
    expect((await tell(team, of({}, { phase: 'Failed' }))).rule).toBe('generic: status.phase');
  });

  it('come from an argocd-cm, and are followed', async () => {
    const store = new FakeStore();
    const told = (status: string) => `return { status = "${status}", message = "${status}" }`;
    await using team = await StatusRules.open({ healthLua: 'configmap:ops/argocd-cm' }, clock);
    team.follow(informersOf(store));
    const key = 'resource.customizations.health.water.example.com_Pump';
    for (const [status, ours] of [
      ['Healthy', 'Current'],
      ['Progressing', 'InProgress'],
      ['Degraded', 'Failed'],
      ['Suspended', 'InProgress'],
      ['Missing', 'NotFound'],
      ['Unknown', 'Unknown'],
      ['Wet', 'Unknown'],
    ] as const) {
      await untilHeard(team, async () =>
        store.put(aConfigMap('argocd-cm', { [key]: told(status), 'resource.customizations.ignoreDifferences.all': 'x' })),
      );
      expect((await tell(team, aPump({}))).status).toBe(ours);
    }
    const all = aConfigMap('argocd-cm', { 'resource.customizations': `"*.example.com/*":\n  health.lua: |\n    ${told('Degraded')}\n` });
    await untilHeard(team, async () => store.put(all));
    expect(await tell(team, aPump({}))).toMatchObject({ status: 'Failed', rule: expect.stringContaining('Lua *.example.com/*') });
  });

  it('are followed in their folder', async () => {
    await cp(LUA, folder, { recursive: true });
    await using team = await StatusRules.open({ healthLua: folder }, clock);
    team.follow(informersOf(new FakeStore()));
    await untilHeard(team, () =>
      writeFile(path.join(folder, 'water.example.com/Pump/health.lua'), 'return { status = "Healthy", message = "changed" }'),
    );
    expect((await tell(team, aPump({}))).message).toBe('changed');
  });

  it('[issue 9, 2] that are no Lua are told when they are read: the last good one stays in force, and the others change', async () => {
    await cp(LUA, folder, { recursive: true });
    const [pump, gate] = ['water.example.com/Pump/health.lua', 'water.example.org/Gate/health.lua'].map((name) => path.join(folder, name));
    await mkdir(path.dirname(gate ?? ''), { recursive: true });
    await writeFile(pump ?? '', 'return { status = "Healthy", message = "good" }');
    await using team = await StatusRules.open({ healthLua: folder }, clock);
    expect(team.sources()[0]?.fault).toBeUndefined();
    team.follow(informersOf(new FakeStore()));
    await untilHeard(team, async () => {
      await writeFile(pump ?? '', 'return { status = "Healthy" message = "no comma" }');
      await writeFile(gate ?? '', 'return { status = "Healthy", message = "new" }');
    });
    const sentence = expect.stringMatching(
      /^The Lua health check of .*Pump\/health\.lua is no Lua: water\.example\.com\/Pump:1: '}' expected near 'message'$/,
    );
    expect(team.sources()[0]?.fault?.sentences).toEqual([sentence]);
    expect((await tell(team, aPump({}))).message).toBe('good');
    expect((await tell(team, anObject('water.example.org/v1', 'Gate', {}))).message).toBe('new');
    await using fresh = await StatusRules.open({ healthLua: folder }, clock);
    expect(fresh.sources()[0]?.fault?.sentences).toEqual([sentence]);
    expect(await tell(fresh, aPump({}))).toMatchObject({ status: 'Unknown', message: sentence });
    await untilHeard(team, () => writeFile(pump ?? '', 'return { status = "Healthy", message = "mended" }'));
    expect(team.sources()[0]?.fault).toBeUndefined();
    expect((await tell(team, aPump({}))).message).toBe('mended');
  });

  it('say which folder is not there', async () => {
    await expect(StatusRules.open({ healthLua: 'test/none' }, clock)).rejects.toThrow(
      'the Lua health checks of test/none cannot be read: ',
    );
  });
});
