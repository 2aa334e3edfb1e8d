import { afterAll, describe, expect, it } from 'vitest';
import { answerText } from '@/server/commands/written/answer-text';
import { startThread } from '@/server/commands/written/start-thread';
import type { RunText } from '@/server/commands/written/text-reader';
import { createTextReader, openTextReader } from '@/server/commands/written/text-reader';
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

  it('[decision 0017] is done by a thread that has 288 MB of memory and no more', async () => {
    const thread = startThread();
    expect(thread.resourceLimits).toMatchObject({ maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 });
    await thread.terminate();
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
