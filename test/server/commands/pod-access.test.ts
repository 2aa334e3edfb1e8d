import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { PortReader } from '@/server/commands/forward/port-channels';
import { connectToPod, findPod } from '@/server/commands/pod-access/connect-to-pod';
import { PodAccess } from '@/server/commands/pod-access/pod-access';
import { readExecMessage } from '@/server/commands/terminal/exec-channels';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { ConnectRequest } from '@/server/kube/cluster';
import { ManualClock } from '../../support/manual-clock';

const channel = (number: number, text: string) => Buffer.concat([Buffer.from([number]), Buffer.from(text)]);
const AT = { ns: 'shop', pod: 'web' };
const clusterOf = (cluster: object) => cluster as unknown as Cluster;

describe('[issue 14.1] what a container says', () => {
  const status = (more: object) => JSON.stringify({ status: 'Failure', ...more });
  it.each<readonly [string, number, string, string | undefined]>([
    ['its output', 1, 'a file', 'a file'],
    ['its errors', 2, 'no such file', 'no such file'],
    ['nothing yet', 1, '', undefined],
    ['what is of no channel that is read', 4, '{}', undefined],
    ['that it ended well', 3, JSON.stringify({ status: 'Success', message: 'done' }), 'the shell ended'],
    [
      'with which code it ended',
      3,
      status({
        details: {
          causes: [
            { reason: 'Other', message: '9' },
            { reason: 'ExitCode', message: '3' },
          ],
        },
      }),
      'the shell ended with exit code 3',
    ],
    [
      'why it ended, where no cause has a code',
      3,
      status({ message: 'it was killed', details: { causes: [{ reason: 'Other', message: '9' }] } }),
      'it was killed',
    ],
    ['why it ended, where there are no causes', 3, status({ message: 'it was killed', details: {} }), 'it was killed'],
    ['why it ended, without details', 3, status({ message: 'it was killed' }), 'it was killed'],
    ['that it ended, without a word', 3, status({}), 'the shell ended'],
    ['no Status at all, of which 400 characters are told', 3, 'x'.repeat(500), 'x'.repeat(400)],
  ])('%s', (_what, number, text, told) => {
    const read = readExecMessage(channel(number, text));
    expect(read?.kind === 'output' ? Buffer.from(read.bytes).toString() : read?.sentence).toBe(told);
    if (read !== undefined) expect(read.kind).toBe(number === 3 ? 'ended' : 'output');
  });
});

describe('[issue 14.1] what a port of a pod says', () => {
  const read = (...messages: readonly Uint8Array[]) => {
    const reader = new PortReader();
    return messages.map((message) => {
      const told = reader.read(message);
      return told?.kind === 'data' ? Buffer.from(told.bytes).toString() : told?.sentence;
    });
  };

  it('is told without the number of the port, in however many messages that comes', () => {
    expect(read(channel(0, 'P'), channel(0, 'P'), channel(0, 'ok'))).toEqual([undefined, undefined, 'ok']);
    expect(read(channel(0, 'PPok'))).toEqual(['ok']);
  });

  it('is not moved by a message without a channel, or of another one', () => {
    expect(read(Buffer.alloc(0), channel(1, 'PPwrong'), channel(7, 'noise'))).toEqual([undefined, 'wrong', undefined]);
  });

  it('is wrong in 400 characters at most', () => {
    expect(read(channel(1, `PP ${'x'.repeat(500)}\n`))).toEqual(['x'.repeat(400)]);
  });
});

describe('[issue 14.1] a connection into a pod', () => {
  const wanted = { ...AT, subresource: 'exec?command=sh', protocol: 'v5', silence: 'no shell started' };
  const open = (connect: (request: ConnectRequest) => Promise<unknown>) => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const requests: ConnectRequest[] = [];
    const cluster = clusterOf({
      connect: (request: ConnectRequest) => {
        requests.push(request);
        return connect(request);
      },
    });
    return { clock, stop, requests, opened: connectToPod(clock, cluster, { ...wanted, signal: stop.signal }) };
  };
  const silent = ({ signal }: ConnectRequest) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('the request was ended'))));

  it('is given up when nobody answers within 15 s', async () => {
    const { clock, opened } = open(silent);
    const told = expect(opened).rejects.toMatchObject({ code: 'unavailable', message: 'no shell started within 15 s' });
    await clock.advance(15_000);
    await told;
  });

  it('is given up when whoever wanted it goes away', async () => {
    const { stop, opened } = open(silent);
    const told = expect(opened).rejects.toThrow('the request was ended');
    stop.abort();
    await told;
  });

  it('is not ended by that limit once it is open', async () => {
    const { clock, opened, requests } = open(async () => 'connected');
    expect(await opened).toBe('connected');
    await clock.advance(15_000);
    expect([requests.length, requests[0]?.signal?.aborted]).toEqual([1, false]);
  });

  it.each<readonly [number, string]>([
    [403, 'forbidden'],
    [404, 'not-found'],
    [500, 'rejected'],
  ])('tells the sentence of the API server with %i', async (code, told) => {
    const { opened } = open(() => Promise.reject(new KubeApiError({ code, reason: 'Told', message: 'the API server says no' })));
    await expect(opened).rejects.toMatchObject({ code: told, message: 'the API server says no' });
  });

  it('looks the pod up for as long as whoever asks stays', async () => {
    const asked: object[] = [];
    const cluster = clusterOf({ get: async (_at: object, options: object) => asked.push(options) });
    const { signal } = new AbortController();
    await findPod(cluster, AT, signal);
    await findPod(cluster, AT);
    expect(asked).toStrictEqual([{ signal }, {}]);
  });
});

describe('[issue 10.3] what is open into a pod', () => {
  const open = async (deps: object) => {
    const recorded: RecordEntry[] = [];
    let released = 0;
    const all = {
      ids: { uuid: () => 'act' },
      clock: { now: () => 0 },
      record: async (entry: RecordEntry) => void recorded.push(entry),
      ...deps,
    } as unknown as CommandDeps;
    const words = { act: { kind: 'open-terminal' as const, ...AT }, action: 'terminal', opened: 'opened', subject: 'a terminal' };
    const started = PodAccess.start(all, { user: 'ann' } as Session, { ...words, release: () => void released++ });
    return { recorded, released: () => released, started };
  };

  it('has no end on record where its beginning could not be recorded, and holds nothing', async () => {
    const recorded: string[] = [];
    const record = async ({ action }: RecordEntry) => {
      if (action === 'terminal.open') throw new Error('the store is down');
      recorded.push(action);
    };
    const { started, released } = await open({ record });
    await expect(started).rejects.toThrow('the store is down');
    expect([recorded, released()]).toEqual([[], 1]);
  });

  it.each<readonly [string, Error, string | undefined]>([
    ['the right is gone', new AppError('forbidden', 'ann may not'), 'ann may not'],
    ['the session is over', new AppError('unauthenticated', 'sign in again'), 'sign in again'],
    ['the cluster cannot be asked', new AppError('unavailable', 'no answer'), undefined],
    ['something else fails', new Error('no answer'), undefined],
  ])('ends where %s', async (_why, error, ended) => {
    const { started, recorded, released } = await open({ auth: { authorise: () => Promise.reject(error) } });
    const held = await started;
    await held.recheck({} as Session, 0 as never);
    expect([held.ended, released()]).toEqual([ended, ended === undefined ? 0 : 1]);
    expect(recorded.map(({ action }) => action)).toEqual(ended === undefined ? ['terminal.open'] : ['terminal.open', 'terminal.end']);
  });

  it('ends once its right could not be checked for a minute, and not before; each check that succeeds begins it again', async () => {
    let isSilent = true;
    const clock = new ManualClock();
    const authorise = async () => {
      if (isSilent) throw new AppError('unavailable', 'no answer');
    };
    const { started, released } = await open({ clock, auth: { authorise } });
    const held = await started;
    const lookAfter = async (ms: number) => {
      await clock.advance(ms);
      await held.recheck({} as Session, clock.now());
      return held.ended;
    };
    expect(await lookAfter(59_999)).toBeUndefined();
    isSilent = false;
    expect(await lookAfter(4000)).toBeUndefined();
    isSilent = true;
    expect(await lookAfter(59_999)).toBeUndefined();
    expect(await lookAfter(1)).toBe('the right to it could not be checked for a minute: no answer');
    expect(released()).toBe(1);
  });
});
