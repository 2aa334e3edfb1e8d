import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';
import type { LogRig } from '../api/log-rig';
import { aPod, createLogRig } from '../api/log-rig';

/** Runs `slipway logs` against the rig while time passes. */
async function run(rig: LogRig, ...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  let code = 0;
  const program = createProgram({
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    fail: (given = 1) => {
      code = given;
    },
    stdin: new PassThrough(),
    fetch: (input, init) => Promise.resolve(rig.api.request(new Request(input as URL, init))),
  });
  const token = rig.auth.commandToken ?? '';
  const done = program.parseAsync(['logs', ...args, '--url', 'http://127.0.0.1:3000', '--token', token], { from: 'user' }).then(() => true);
  while (!(await Promise.race([done, rig.clock.advance(50)])));
  return { out, err, code };
}

/** Each log is written as soon as it is read. */
async function written(lines: Readonly<Record<string, string>>): Promise<LogRig> {
  const rig = await createLogRig();
  const push = rig.logs.push.bind(rig.logs);
  rig.logs.push = (log) => {
    void log.write(lines[log.pod] ?? '').then(() => log.end());
    return push(log);
  };
  return rig;
}

describe('slipway logs', () => {
  it('[issue 14.1] prints what all pods of an application wrote, each line with its container, and beside it what is not read', async () => {
    const rig = await written({ a: '2026-01-01T09:00:01Z one\n', b: '2026-01-01T09:00:02Z two\n' });
    rig.put(aPod('a'), aPod('b', { revision: 'web-v2' }), aPod('c', { state: { waiting: { reason: 'ErrImagePull' } } }));
    expect(await run(rig, 'application', 'web', '-n', 'shop')).toEqual({
      out: ['[a app] one', '[b app] two'],
      err: ['c app: waiting, ErrImagePull'],
      code: 0,
    });
    expect(await run(rig, 'app/web', '-n', 'shop', '--revision', 'web-v2', '--timestamps')).toMatchObject({
      out: ['2026-01-01T09:00:02Z two'],
    });
  });

  it('[issue 14.1] of one pod prints what the run before the last restart wrote, and how it ended', async () => {
    const rig = await written({ a: '2026-01-01T09:00:01Z out of memory\n' });
    const lastState = { terminated: { exitCode: 1, startedAt: '2026-01-01T09:00:00Z', finishedAt: '2026-01-01T09:00:02Z' } };
    const { pod } = aPod('a', { restarts: 1, lastState });
    rig.cluster.objects.set('/Pod shop/a', pod);
    expect(await run(rig, 'pod', 'a', '-n', 'shop', '--previous')).toEqual({
      out: ['out of memory', '--- [a app] ended: exit code 1'],
      err: [],
      code: 0,
    });
    expect(rig.logs[0]?.query.get('previous')).toBe('true');
  });

  it.each([
    [['web'], 'error: logs needs application NAME or pod NAME, found web'],
    [['service', 'web'], 'error: logs needs application NAME or pod NAME, found service web'],
    [['pod', 'a', '--revision', 'web-v2'], 'error: --revision and --pod are for applications: a pod is named already'],
    [['pod', 'none', '-n', 'shop'], 'error: there is no pod none in namespace shop'],
    [['application', 'web', '-n', 'shop'], 'error: there is no container to read'],
    [
      ['application', 'web', '-n', 'shop', '--tail', 'x'],
      'error: the query does not fit: tail must be a number of lines of at most 20,000, found "x"',
    ],
  ])('[issue 14.1] %s ends with a sentence', async (args, sentence) => {
    const rig = await createLogRig();
    expect(await run(rig, ...args)).toEqual({ out: [], err: [sentence], code: 1 });
  });
});
