import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { readValues } from '@/lib/std/yaml/read-values';
import { answerText } from '@/server/commands/editor/answer-text';
import { startThread } from '@/server/commands/editor/start-thread';
import type { RunText } from '@/server/commands/editor/text-reader';
import { createTextReader, openChartValuesReader, openTextReader } from '@/server/commands/editor/text-reader';
import { ManualClock } from '@/test/support/manual-clock';
import { createCommandRig } from './rig';

const HEAD = 'apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata: {name: web, namespace: shop}\n';
const GOOD = `${HEAD}spec:\n  components:\n    - {name: front, type: webservice, properties: {image: "web:1"}}\n`;
const TEXTS = {
  'an application': GOOD,
  'no YAML': 'a: [',
  'an unknown type': GOOD.replace('webservice', 'magic'),
  'an alias of aliases': `${HEAD}a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n`,
  'an alias that leads nowhere': `${HEAD}a: *b\n`,
  'aliases that come to very much': `${HEAD}a: &a "${'x'.repeat(200_000)}"\nb: [${'*a,'.repeat(40)}*a]\n`,
  nothing: '',
};

// A clock that stands still: these tests ask what is answered, however slow the machine is.
const reader = openTextReader({ clock: new ManualClock() });
afterAll(() => reader[Symbol.asyncDispose]());

const told = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    ({ code, message, details }: { code: string; message: string; details?: unknown }) => ({ code, message, details }),
  );

describe('reading texts away from the main thread', () => {
  it.each(Object.entries(TEXTS))('[decision 0017] answers for %s what reading it here answers', async (_what, text) => {
    const { session } = await createCommandRig();
    const here = createTextReader(async (_owner, task) => ({ kind: 'answered', answer: answerText(task) }));
    expect(await told(reader.parse(session, text))).toEqual(await told(here.parse(session, text)));
    expect(await reader.check(session, text)).toEqual(await here.check(session, text));
  });

  it.each(Object.entries(TEXTS).filter(([what]) => what !== 'an application'))(
    '[design 8] refuses %s with a sentence',
    async (_what, text) => {
      const { session } = await createCommandRig();
      await expect(reader.parse(session, text)).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/manifest|Application/),
      });
    },
  );

  it.each([
    [{ kind: 'too-long' }, 'invalid', 'takes longer than 10 s to read'],
    [{ kind: 'too-much-memory' }, 'invalid', 'takes too much memory to read'],
    [{ kind: 'too-many-of-one' }, 'too-many', 'four of your manifests'],
    [{ kind: 'too-many' }, 'too-many', 'too many manifests wait'],
    [{ kind: 'ended', why: 'its thread ended' }, 'unavailable', 'because its thread ended; nothing was changed, try again'],
  ] as const)('[decision 0017] says in one sentence that it ended with %o', async (outcome, code, sentence) => {
    const run: RunText = async () => outcome;
    const { session } = await createCommandRig();
    await expect(createTextReader(run).parse(session, GOOD)).rejects.toMatchObject({ code, message: expect.stringContaining(sentence) });
    const check = told(createTextReader(run).check(session, GOOD));
    const problem = { value: [expect.objectContaining({ sentence: expect.stringContaining(sentence), line: 1 })] };
    expect(await check).toEqual(code === 'invalid' ? problem : expect.objectContaining({ code }));
  });

  it('[decision 0017] is done by a thread that has 288 MB of memory and no more, from a bundle as from sources', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'slipway-bundle-'));
    await writeFile(
      path.join(folder, 'parse-worker.mjs'),
      "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('bundled');",
    );
    const bundled = startThread(pathToFileURL(path.join(folder, 'slipway.mjs')).href);
    expect(await once(bundled, 'message')).toEqual(['bundled']);
    for (const thread of [bundled, startThread()]) {
      expect(thread.resourceLimits).toMatchObject({ maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 });
      await thread.terminate();
    }
    await rm(folder, { recursive: true });
  });

  it('[issue 10.7] reads four texts of one person at once, and ends what is under way with itself', async () => {
    const own = openTextReader({ clock: new ManualClock() });
    const { session } = await createCommandRig();
    const all = Array.from({ length: 5 }, () => told(own.check(session, GOOD)));
    expect(await all[4]).toMatchObject({ code: 'too-many' });
    await own[Symbol.asyncDispose]();
    const ended = { code: 'unavailable', message: expect.stringContaining('the server is ending') };
    expect(await Promise.all([...all.slice(0, 4), told(own.check(session, GOOD))])).toMatchObject(Array.from({ length: 5 }, () => ended));
  });

  it('[issue 10.7] takes no answer for another, and no fault of the program for a refusal', async () => {
    const { session } = await createCommandRig();
    const answering = (answer: Awaited<ReturnType<RunText>>) => createTextReader(async () => answer);
    const checked = answering({ kind: 'answered', answer: { kind: 'checked', problems: [] } });
    const parsed = answering({ kind: 'answered', answer: { kind: 'parsed', json: '{}' } });
    await expect(checked.parse(session, GOOD)).rejects.toMatchObject({ message: expect.stringContaining('answered checked, which') });
    await expect(parsed.check(session, GOOD)).rejects.toMatchObject({ message: expect.stringContaining('answered parsed, which') });
    expect(() => answerText({ task: 'unknown' as 'parse', text: GOOD })).toThrow(TypeError);
  });

  it('[issue 10.7] tells of nothing as a fault of the text but what is one', () => {
    const check = (error: Error) => {
      const raise = () => {
        throw error;
      };
      return answerText({ task: 'check', text: GOOD, deepest: { valueOf: raise } as unknown as number });
    };
    expect(() => check(new RangeError('it broke'))).toThrow('it broke');
    expect(check(new AppError('unavailable', 'not now'))).toMatchObject({ kind: 'refused', code: 'unavailable', sentence: 'not now' });
  });

  it('[decision 0017] counts what a person has read by the person, over however many sessions', async () => {
    const owners: string[] = [];
    const { session } = await createCommandRig();
    const here = createTextReader(async (owner, task) => {
      owners.push(owner);
      return { kind: 'answered', answer: answerText(task) };
    });
    await here.check(session, GOOD);
    await here.check({ ...session, id: 'another' }, GOOD);
    expect(owners).toEqual([session.user, session.user]);
  });
});

describe('values of charts', () => {
  it('[issue 10.4] are read on a thread of their own as they are here, also after one that is no YAML, until that ends', async () => {
    const values = openChartValuesReader(new ManualClock());
    const texts = ['a: 012', 'a: [', 'b: {c: 1}'];
    expect(await Promise.all(texts.map((text) => values.chartValues(text)))).toEqual(texts.map(readValues));
    await values[Symbol.asyncDispose]();
    await expect(values.chartValues('a: 1')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
