import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { AuditRecorder } from '@/server/audit-recorder';
import type { SpoolFile, Store, StoreOpening } from '@/server/store';
import { OpeningStore, openPendingEntries } from '@/server/store';
import { MAX_PENDING } from '@/server/store/spool/pending-entries';
import { createCommandRig } from '@/test/server/commands/rig';
import type { EngineRig } from '@/test/server/rollout/engine-rig';
import { aRolloutUnderWay } from '@/test/server/rollout/engine-rig';
import { aRolloutSpec } from '@/test/server/rollout/simulation';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../support/silent-log';
import { anEntry } from './record-rig';

/** A store whose record can be stopped. */
function aStore() {
  const written: string[] = [];
  const state = { isDown: false, asked: 0 };
  const answer = async <Answer>(give: () => Answer): Promise<Answer> => {
    if (state.isDown) throw new Error('Failed query: select 1', { cause: new Error('connection refused') });
    return give();
  };
  const audit = {
    append: (entry: RecordEntry) => answer(() => void (written.includes(entry.id) || written.push(entry.id))),
    readRecent: () => {
      state.asked++;
      return answer(() => []);
    },
    troubles: () => [],
  };
  const store = { audit, [Symbol.asyncDispose]: async () => undefined } as unknown as Store;
  return { state, written, store };
}

describe('with the store down', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-down-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function aRecording(over: { readonly opening?: StoreOpening; readonly waiting?: SpoolFile } = {}) {
    const { state, written, store } = aStore();
    const clock = new ManualClock();
    const waiting = over.waiting ?? (await openPendingEntries(folder));
    const shown: string[] = [];
    const recording = new AuditRecorder({
      opening: { now: async () => store, whenOpen: Promise.resolve(store) },
      waiting,
      clock,
      log: silentLog,
      onRecorded: ({ id }) => shown.push(id),
      ...over,
    });
    await clock.settle();
    return { state, written, shown, recording, clock, waiting };
  }

  it('[issue 10.3] refuses what a person does, with a sentence, and takes it again when the store is back', async () => {
    const { state, written, recording, clock } = await aRecording();
    await recording.record(anEntry('before'));
    state.isDown = true;
    await clock.advance(1000);
    await expect(recording.record(anEntry('during'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('pause, abort and suspend still work'),
    });
    await expect(recording.requireOpen()).rejects.toMatchObject({ code: 'unavailable' });
    expect(recording.findings()).toMatchObject([{ area: 'record', sentence: expect.stringContaining('connection refused') }]);
    state.isDown = false;
    await clock.advance(2000);
    await recording.record(anEntry('after'));
    expect([written, recording.findings()]).toEqual([['before', 'after'], []]);
  });

  it('[issue 13] asks the store once however many passes begin, and not while what was put on record says that it answers', async () => {
    const { state, recording, clock } = await aRecording();
    const standings = () => Promise.all([recording.stands(), recording.stands(), recording.requireOpen().then(() => 'open')]);
    await clock.advance(1000);
    expect([await standings(), state.asked]).toEqual([['open', 'open', 'open'], 1]);
    await clock.advance(999);
    await recording.recordAct(anEntry('act'));
    await clock.advance(999);
    expect([await standings(), state.asked]).toEqual([['open', 'open', 'open'], 1]);
    state.isDown = true;
    await clock.advance(1);
    expect([await recording.stands(), state.asked]).toEqual(['waiting', 2]);
  });

  it('[issue 10.3] tells that the store is down before anybody needs it, since when and why, until it is back', async () => {
    const { state, recording, clock } = await aRecording();
    const ending = new AbortController();
    const watching = recording.watch(ending.signal);
    await clock.advance(5000);
    expect(recording.trouble()).toBeNull();
    state.isDown = true;
    await clock.advance(5000);
    expect(recording.trouble()).toEqual({ since: expect.stringMatching(/^\d{4}-/), sentence: 'connection refused', full: false });
    state.isDown = false;
    await clock.advance(2000);
    expect(recording.trouble()).toBeNull();
    ending.abort();
    await watching;
  });

  it('[issue 10.3] keeps acts of engines in a file and appends them in order, each once, also after a crash in between', async () => {
    const first = await aRecording();
    first.state.isDown = true;
    await first.clock.advance(1000);
    for (const id of ['a', 'b', 'c']) await first.recording.recordAct(anEntry(id));
    expect(first.shown).toEqual(['a', 'b', 'c']);
    expect(first.recording.findings()[0]?.sentence).toContain('3 entries of engines wait in a file, 10,000 entries at most');
    first.recording[Symbol.dispose]();

    const second = await aRecording();
    await second.recording.recordAct(anEntry('d'));
    await second.clock.advance(2000);
    expect(second.written).toEqual(['a', 'b', 'c', 'd']);
    await expect(readFile(path.join(folder, 'waiting.jsonl'))).rejects.toThrow('ENOENT');
    second.recording[Symbol.dispose]();
  });

  it('[issue 10.3] loses nothing behind a line that a crash tore, and passes over none that cannot be read', async () => {
    const file = path.join(folder, 'waiting.jsonl');
    await (await openPendingEntries(folder)).add(anEntry('a'));
    await appendFile(file, '{"id":"torn","at":');
    const again = await openPendingEntries(folder);
    await again.add(anEntry('b'));
    const written: string[] = [];
    await (await openPendingEntries(folder)).drain(async (entries) => void written.push(...entries.map(({ id }) => id)));
    expect(written).toEqual(['a', 'b']);
    await writeFile(file, `${JSON.stringify(anEntry('a'))}\nnonsense\n${JSON.stringify(anEntry('b'))}\n`);
    await expect(openPendingEntries(folder)).rejects.toThrow('line 2 of ');
  });

  it('[issue 10.3] says that engines stand still when the file is full, and goes on when the store is back', async () => {
    const { state, recording, clock, waiting, written } = await aRecording();
    expect(await recording.stands()).toBe('open');
    state.isDown = true;
    await clock.advance(1000);
    expect(await recording.stands()).toBe('waiting');
    await Promise.all(Array.from({ length: MAX_PENDING }, (_, at) => waiting.add(anEntry(`act-${at}`))));
    expect(await recording.stands()).toBe('full');
    expect(recording.findings()[0]?.sentence).toContain('engines are stopped, except for aborts');
    state.isDown = false;
    await clock.advance(2000);
    expect(await recording.stands()).toBe('open');
    expect(written).toHaveLength(MAX_PENDING);
  });

  it('[issue 10.6] with a disk that is full as well engines stand still with the reason, and what they did is on record once there is room, each once', async () => {
    const disk = { isFull: false };
    const full = async (file: string, text: string) => {
      await appendFile(file, disk.isFull ? text.slice(0, 20) : text);
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const { state, recording, clock, waiting, written } = await aRecording({ waiting: await openPendingEntries(folder, full) });
    state.isDown = true;
    await clock.advance(1000);
    await recording.recordAct(anEntry('a'));
    disk.isFull = true;
    for (const _twice of [1, 2]) await expect(recording.recordAct(anEntry('b'))).rejects.toThrow('no space left');
    expect([await recording.stands(), recording.trouble()?.full]).toEqual(['full', true]);
    expect(recording.findings()[0]?.sentence).toContain('1 entry of engines waits in a file, and no more can be written there (ENOSPC');
    await clock.advance(10_000);
    expect(await recording.stands()).toBe('full');

    disk.isFull = false;
    await clock.advance(2000);
    expect(await recording.stands()).toBe('waiting');
    await recording.recordAct(anEntry('c'));
    const kept: string[] = [];
    await (await openPendingEntries(folder))
      .drain(async (entries) => {
        kept.push(...entries.map(({ id }) => id));
        throw new Error('only looked at');
      })
      .catch(() => undefined);
    expect(kept).toEqual(['a', 'b', 'c']);
    state.isDown = false;
    await clock.advance(2000);
    expect([written, await recording.stands(), recording.findings(), waiting.size()]).toEqual([['a', 'b', 'c'], 'open', [], 0]);
  });

  it("[issue 10.3] what a person stops is on record in time, and in nobody's way meanwhile, also where the disk is full as well", async () => {
    const { state, recording, clock, shown, written } = await aRecording({
      waiting: await openPendingEntries(folder, async () => {
        throw new Error('ENOSPC: no space left on device');
      }),
    });
    state.isDown = true;
    await clock.advance(1000);
    await recording.recordStop(anEntry('suspend'));
    expect([shown, written, await recording.stands()]).toEqual([['suspend'], [], 'full']);
    state.isDown = false;
    await clock.advance(2000);
    expect([written, await recording.stands()]).toEqual([['suspend'], 'open']);
  });

  it('[issue 10.6] what no disk takes goes to the store as soon as that answers, after what waits', async () => {
    const { state, recording, clock, written } = await aRecording({
      waiting: await openPendingEntries(folder, async () => {
        throw new Error('ENOSPC: no space left on device');
      }),
    });
    state.isDown = true;
    await clock.advance(1000);
    await expect(recording.recordAct(anEntry('a'))).rejects.toThrow('no space left');
    state.isDown = false;
    await clock.advance(2000);
    await recording.recordAct(anEntry('b'));
    expect([written, recording.trouble(), await recording.stands()]).toEqual([['a', 'b'], null, 'open']);
  });

  it('[issue 9] keeps no engine waiting while the store is being opened, and appends its acts in order once it is', async () => {
    const { written, store } = aStore();
    let open: (opened: Store) => void = () => undefined;
    const opening = new Promise<Store>((resolve) => {
      open = resolve;
    });
    const { recording, clock, shown } = await aRecording({ opening: { now: () => opening, whenOpen: opening } });
    await recording.recordAct(anEntry('a'));
    await recording.recordAct(anEntry('b'));
    expect([shown, written]).toEqual([['a', 'b'], []]);
    const last = recording.recordAct(anEntry('c')); // on its way into the file as the store opens
    open(store);
    await opening;
    await Promise.all([last, recording.recordAct(anEntry('d'))]);
    await clock.advance(1000);
    expect(written).toEqual(['a', 'b', 'c', 'd']);
    expect(recording.findings()).toEqual([]);
    await expect(readFile(path.join(folder, 'waiting.jsonl'))).rejects.toThrow('ENOENT');
    recording[Symbol.dispose]();
  });

  it('[issue 10.6] of a store that opens late it says why until then, loses nothing, and takes decisions from then on', async () => {
    const { state, written, store } = aStore();
    let isThere = false;
    const retries = new ManualClock();
    const open = async () => {
      if (!isThere) throw new Error('nobody listens there');
      return store;
    };
    await using opening = new OpeningStore(open, { clock: retries, log: silentLog });
    const { recording, clock, waiting } = await aRecording({ opening });
    await recording.recordAct(anEntry('a'));
    await expect(recording.record(anEntry('b'))).rejects.toThrow('nobody listens there');
    expect(recording.trouble()).toMatchObject({ sentence: 'nobody listens there', full: false });
    expect([waiting.size(), written]).toEqual([1, []]);
    isThere = true;
    await retries.advance(1000);
    await clock.advance(2000);
    await recording.record(anEntry('c'));
    expect([written, recording.trouble(), state.isDown]).toEqual([['a', 'c'], null, false]);
  });

  it.each(DECISION_VERBS.filter((verb) => verb !== 'rollback'))(
    '[issue 10.3] refuses %s on the console unless it stops',
    async (verb: DecisionVerb) => {
      const rig = await createCommandRig();
      const place = { ns: 'shop', name: 'web' };
      const request = { verb, uid: 'ro-uid', stage: 0, revision: 'front-v2', reason: 'because', seen: { rollout: 'd', policy: 'd' } };
      rig.unrecorded = new Error('the record cannot be written');
      const decided = rig.commands.decide(rig.session, place, request);
      if (verb === 'pause' || verb === 'abort') await expect(decided).resolves.toBeDefined();
      else await expect(decided).rejects.toThrow('the record cannot be written');
      rig.unrecorded = null;
      await expect(rig.commands.decide(rig.session, place, request)).resolves.toBeDefined();
    },
  );

  const GATED = aRolloutSpec('web-v1', 'web-v2', 4, { overConsumptionRatio: 50, control: { gates: 'every-stage' } });
  const aRollout = () => aRolloutUnderWay(GATED);
  const phaseOf = (rig: EngineRig, name: string | undefined) =>
    readString(rig.get(KINDS.stageDecision, name ?? ''), 'status', 'phase') ?? 'Pending';

  it('[issue 10.3] leaves decisions made by kubectl Pending, and judges them when the store is back', async () => {
    await using rig = await aRollout();
    rig.recordStanding = 'waiting';
    const approval = await rig.decide({ verb: 'approve', stage: 1 });
    await rig.clock.advance(60_000);
    expect(phaseOf(rig, approval.metadata.name)).toBe('Pending');
    rig.recordStanding = 'open';
    await rig.clock.advance(10_000);
    expect(phaseOf(rig, approval.metadata.name)).toBe('Accepted');
  });

  it('[issue 10.3] carries out an abort made by kubectl, and offers it to the record', async () => {
    await using rig = await aRollout();
    rig.recordStanding = 'waiting';
    const abort = await rig.decide({ verb: 'abort', reason: 'it fails' });
    await rig.clock.advance(60_000);
    expect(phaseOf(rig, abort.metadata.name)).toBe('Accepted');
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([4, 0]);
    expect(rig.record.get(abort.metadata.uid ?? '')).toMatchObject({ action: 'decision.abort' });
  });

  it('[issue 10.3] stands still once no more acts can wait, and still aborts', async () => {
    await using rig = await aRollout();
    rig.recordStanding = 'full';
    await rig.decide({ verb: 'approve', stage: 1 });
    const writes = rig.writes.length;
    await rig.deploy('web-v3', 1);
    await rig.clock.advance(60_000);
    expect(rig.writes.length).toBe(writes);
    await rig.decide({ verb: 'abort', reason: 'it fails' });
    await rig.clock.advance(60_000);
    expect([rig.replicas('web-v1'), rig.replicas('web-v2')]).toEqual([4, 0]);
  });
});
