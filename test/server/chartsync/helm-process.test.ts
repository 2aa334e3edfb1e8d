import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Semaphore } from '@/lib/std/semaphore';
import { HelmOperations } from '@/server/chartsync/describe/helm-operations';
import { Decoder } from '@/server/chartsync/helm/decoder';
import { HelmBinary } from '@/server/chartsync/helm/helm-binary';
import type { HelmRunsDeps } from '@/server/chartsync/helm/helm-runs';
import { HelmRuns } from '@/server/chartsync/helm/helm-runs';
import type { OrphanedLogs } from '@/server/chartsync/helm/log/orphaned-logs';
import { StepLogs } from '@/server/chartsync/helm/log/step-logs';
import type { HelmStorage } from '@/server/chartsync/helm/storage';
import type { Clock } from '@/server/platform';
import { realClock } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const history = [
  { revision: 1, status: 'deployed' },
  { revision: 2, status: 'pending-rollback' },
];
const policy = { enable: true, retry: false, maxRetries: 5, force: false, disableHooks: false, timeoutSeconds: 60, wait: false };

/** Helm's place is taken by a program of a few lines. */
function helmThat(
  program: string,
  { maxMemory = 1024 * 1024 * 1024, maxProcessorMs = 120_000, clock = realClock as Clock, signal = new AbortController().signal } = {},
) {
  const folder = temporaryFolder();
  const command = path.join(folder, 'helm');
  writeFileSync(command, `#!/bin/sh\n${program}\n`);
  chmodSync(command, 0o755);
  const works = new HelmOperations(clock);
  const helm = new HelmBinary({
    found: { kind: 'found', command, version: 'v4.3.1', major: 4 },
    storage: { readHistory: async () => history, readRevision: async () => ({ values: {}, chart: {} }) } as unknown as HelmStorage, // no more of it is asked for
    decoder: new Decoder(),
    folder,
    identities: { kubeconfigFor: async () => '/nonexistent', accountOf: () => undefined },
    slots: new Semaphore(1),
    dryRunSlots: new Semaphore(1),
    maxMemory,
    maxProcessorMs,
    works,
    dependencies: { build: async (chart) => chart },
    signal,
    clock,
  });
  return { helm, folder, works };
}

describe('the program Helm', () => {
  it('[issue 12, 5] that holds too much memory is ended, and the release that it leaves is named', async () => {
    const hold = 'globalThis.held = Buffer.alloc(200 * 1048576, 1); setTimeout(() => {}, 30000)';
    const { helm } = helmThat(`exec ${process.execPath} -e '${hold}'`, { maxMemory: 150 * 1024 * 1024 });
    await expect(
      helm.rollback({ release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } }, 1, policy),
    ).rejects.toThrow(
      'helm rollback: it took more than 150 MiB of memory and was stopped (--helm-memory); release books is left pending-rollback at revision 2',
    );
  });

  it('[issue 12, 5] that takes too much processor time is ended, what waits is not, and the release that it leaves is named', async () => {
    const { helm } = helmThat(`case "$2" in spins) ulimit -t 20; exec ${process.execPath} -e 'for (;;);';; esac; sleep 1.5`, {
      maxProcessorMs: 700,
    });
    const act = (name: string) => ({ release: { namespace: 'pay', name }, onBehalfOf: { namespace: 'pay', account: undefined } });
    await expect(helm.rollback(act('spins'), 1, policy)).rejects.toThrow(
      'helm rollback: it took more than 0.7 s of processor time and was stopped; release spins is left pending-rollback at revision 2',
    );
    await helm.rollback(act('waits'), 1, policy);
  });

  it('[issue 12, 5] is had in turns by namespaces, so that one which asks for many keeps no other waiting for all of them', async () => {
    const { helm, folder } = helmThat('echo "$2" >> order; while [ -e order ] && [ ! -e go ]; do sleep 0.02; done');
    const rollback = (namespace: string, name: string) =>
      helm.rollback({ release: { namespace, name }, onBehalfOf: { namespace, account: undefined } }, 1, policy);
    const order = () => (existsSync(path.join(folder, 'order')) ? readFileSync(path.join(folder, 'order'), 'utf8').trim().split('\n') : []);
    const noisy = ['a', 'b', 'c'].map((name) => rollback('noisy', name));
    await until('the first runs', () => order().length === 1);
    const other = rollback('pay', 'books');
    writeFileSync(path.join(folder, 'go'), '');
    await Promise.all([...noisy, other]);
    expect(order()).toEqual(['a', 'books', 'b', 'c']);
  });

  it('[issue 12.3] that does not end with the lease is killed 30 s later, and its release waits for that', async () => {
    const clock = new ManualClock();
    const lease = new AbortController();
    const { helm, folder } = helmThat('trap "" TERM; echo $$ > pid; while [ -e pid ]; do sleep 0.05; done', {
      clock,
      signal: lease.signal,
    });
    const pid = () => (existsSync(path.join(folder, 'pid')) ? readFileSync(path.join(folder, 'pid'), 'utf8') : '');
    let end: unknown = 'it runs';
    const running = helm
      .rollback({ release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } }, 1, policy)
      .catch((error: unknown) => {
        end = error;
      });
    await until('it runs', () => pid().endsWith('\n'));
    lease.abort(new Error('this process no longer holds the Lease'));
    await clock.advance(29_999);
    expect(end).toBe('it runs');
    expect(existsSync(`/proc/${pid().trim()}`)).toBe(true);
    await clock.advance(1);
    await running;
    expect(end).toEqual(new Error('this process no longer holds the Lease'));
    expect(existsSync(`/proc/${pid().trim()}`)).toBe(false);
  });

  it('[issue 12, 5] is told three quarters of its memory, has homes of its own, and nothing else of this process', async () => {
    process.env.HELM_PLUGINS = '/planted';
    try {
      const { helm, folder } = helmThat('env > env');
      await helm.uninstall({ release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } });
      const env = Object.fromEntries(
        readFileSync(path.join(folder, 'env'), 'utf8')
          .split('\n')
          .map((line) => line.split(/=(.*)/s, 2)),
      );
      expect(env.GOMEMLIMIT).toBe(String(768 * 1024 * 1024));
      const homes = ['HOME', 'HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME', 'HELM_PLUGINS'];
      expect(homes.filter((name) => !String(env[name]).startsWith(folder))).toEqual([]);
    } finally {
      delete process.env.HELM_PLUGINS;
    }
  });

  it('[issue 12, 5] is given no post-renderer and no plugin, by any argument or setting, whatever it is asked and whatever this process was started with', async () => {
    const planted = ['HELM_POST_RENDERER', 'HELM_PLUGINS', 'HELM_BIN', 'HELM_KUBEAPISERVER', 'HELM_REGISTRY_CONFIG', 'XDG_DATA_HOME'];
    for (const name of planted) vi.stubEnv(name, '/planted');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { helm, folder } = helmThat(
      'cat > /dev/null; cat logs/* > began; env >> env; for one in "$@"; do echo "$one" >> arguments; done; echo "{}"',
    );
    const chart = { folder: path.join(folder, 'chart'), path: 'charts/books', revision: 'c0ffee' };
    mkdirSync(chart.folder);
    writeFileSync(path.join(chart.folder, 'Chart.yaml'), 'name: books\nversion: 1.0.0\nannotations: { post-renderer: /bin/sh }\n');
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const rest = { timeoutSeconds: 60, maxHistory: 10, wait: true, force: true, skipCRDs: true, createNamespace: true };
    const request = {
      ...act,
      ...rest,
      generation: 1,
      chart,
      values: { 'post-renderer': '/bin/sh' },
      disableOpenAPIValidation: true,
      resetValues: true,
    };
    await helm.dryRun(request);
    await helm.install(request, { kept: false });
    await helm.install(request, { kept: true });
    await helm.upgrade(request);
    await helm.rollback(act, 1, policy);
    await helm.test(request, { enable: true, ignoreFailures: false, timeoutSeconds: 60, cleanup: false });
    // A later process of the server tells by it what a person cancels.
    expect(readFileSync(path.join(folder, 'began'), 'utf8')).toMatch(/"command":"test".*"revision":"c0ffee"/);
    await helm.uninstall(act);
    expect(readFileSync(path.join(folder, 'arguments'), 'utf8')).not.toContain('post-renderer');
    const env = readFileSync(path.join(folder, 'env'), 'utf8').split('\n');
    expect([...new Set(env.filter((line) => line.startsWith('HELM_')).map((line) => line.split('=')[0]))].sort()).toEqual([
      'HELM_CACHE_HOME',
      'HELM_CONFIG_HOME',
      'HELM_DATA_HOME',
      'HELM_PLUGINS',
    ]);
    expect(env.filter((line) => line.includes('/planted'))).toEqual([]);
    expect(existsSync(path.join(folder, 'no-plugins'))).toBe(false); // where Helm looks for plugins there is nothing
  });

  it('[issue 12.3] that is killed is told as killed with the last line of its log, not with the whole of it', async () => {
    const log = ['level=DEBUG msg="preparing upgrade" name=books', 'level=DEBUG msg="waiting for resource" kind=Deployment'];
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const ended = (how: string) => helmThat(`${log.map((line) => `echo '${line}' >&2`).join('; ')}; ${how}`).helm.rollback(act, 1, policy);
    await expect(ended('kill -9 $$')).rejects.toThrow(/^helm rollback was killed; its last line: waiting for resource kind=Deployment$/);
    await expect(ended('exit 1')).rejects.toThrow(
      /^helm rollback failed without an error message; its last line: waiting for resource kind=Deployment$/,
    );
    await expect(ended('echo "Error: no such revision" >&2; exit 1')).rejects.toThrow(/^no such revision$/);
    await expect(ended('echo "fatal: it crashed" >&2; exit 2')).rejects.toThrow(/^fatal: it crashed$/);
  });

  it('[issue 12.3] tells an error of a hundred thousand characters by its two ends, and of a crash not where in its code it was', async () => {
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const ended = (lines: string) => helmThat(`cat > /dev/null; ${lines}; exit 1`).helm.rollback(act, 1, policy);
    const nested = `printf 'Error: template: a.yaml: ' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; echo ': nested reference name: x' >&2`;
    await expect(ended(nested)).rejects.toThrow(/^template: a\.yaml: x{900,1000} … x{900,1000}: nested reference name: x$/);
    const crash = 'fatal error: runtime: out of memory\n\nruntime stack:\nruntime.throw({0x1})\n\ngoroutine 1 [running]:\nmain.main()\n';
    await expect(ended(`printf '${crash}' >&2`)).rejects.toThrow(/^fatal error: runtime: out of memory$/);
    await expect(ended(`printf '${crash.replace('runtime stack:\nruntime.throw({0x1})\n\n', '')}' >&2`)).rejects.toThrow(/of memory$/);
  });

  it('[issue 12.1] leaves word of the commit that it releases, and for which spec, for the server that comes next', async () => {
    const { helm, folder, works } = helmThat('cat > /dev/null; touch began; while [ ! -e go ]; do sleep 0.02; done; echo "{}"');
    const chart = { folder: path.join(folder, 'chart'), path: 'charts/books', revision: 'c0ffee' };
    mkdirSync(chart.folder);
    writeFileSync(path.join(chart.folder, 'Chart.yaml'), 'name: books\nversion: 1.0.0\n');
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const flags = { force: false, skipCRDs: false, createNamespace: false, disableOpenAPIValidation: false, resetValues: false };
    const rest = { timeoutSeconds: 60, maxHistory: 10, wait: true, ...flags };
    const running = helm.upgrade({ ...act, generation: 4, chart, values: {}, ...rest });
    await until('it runs', () => existsSync(path.join(folder, 'began')));
    const steps = new StepLogs(path.join(folder, 'logs'));
    const [log] = await steps.left();
    writeFileSync(path.join(folder, 'go'), '');
    await running;
    expect(works.of(act.release)?.madeFrom).toBeUndefined(); // its own loop tells what it is at
    const deps = { works, clock: realClock, signal: new AbortController().signal } as unknown as HelmRunsDeps; // no more of it is asked for
    const left = { of: async () => log, follow: () => ({ end: async () => undefined }) } as unknown as OrphanedLogs;
    await new HelmRuns(deps, { steps, left }).adopt(act.release, { group: 2 ** 30, work: undefined });
    expect(works.of(act.release)).toMatchObject({
      isInherited: true,
      madeFrom: { revision: 'c0ffee', chart: expect.stringMatching(/^chart-tree [0-9a-f]{40}$/), generation: 4 },
    });
  });

  it('[issue 12.3] that is refused a name takes no place of the one that was killed before it, whose last line is the evidence for an unlock', async () => {
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const refused = 'echo "Error: INSTALLATION FAILED: cannot reuse a name that is still in use" >&2; exit 1';
    const { helm, works } = helmThat(`case "$3" in 1) echo 'level=DEBUG msg="waiting for a Job"' >&2; kill -9 $$;; esac; ${refused}`);
    // What came first is all that there is to tell, refused or not.
    await expect(helm.rollback(act, 2, policy)).rejects.toThrow(/still in use/);
    expect(works.of(act.release)).toMatchObject({ line: expect.stringMatching(/still in use/), killedBy: null });
    await expect(helm.rollback(act, 1, policy)).rejects.toThrow(/was killed/);
    const killed = { of: works.of(act.release), log: works.logOf(act.release) };
    for (const _ of [1, 2]) await expect(helm.rollback(act, 2, policy)).rejects.toThrow(/still in use/);
    expect({ of: works.of(act.release), log: works.logOf(act.release) }).toEqual(killed);
    expect(killed).toMatchObject({
      of: { line: 'waiting for a Job', killedBy: 'SIGKILL', isInherited: false },
      log: { lines: [{ text: 'waiting for a Job' }] },
    });
  });

  it('[issue 12.3] that fails in several lines is told in one, of many objects by the first of them', async () => {
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const saying = (...lines: string[]) => helmThat(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >&2; exit 1`).helm;
    await expect(saying('Error: not currently held:', '  {Verbs:[get]}', '').rollback(act, 1, policy)).rejects.toThrow(
      /^not currently held: \{Verbs:\[get\]\}$/,
    );
    const absent = 'INSTALLATION FAILED: create: failed to create: namespaces "pay" not found';
    await expect(saying(`Error: ${absent}`).rollback(act, 1, policy)).rejects.toThrow(
      `${absent}; create it, or have Helm do so by spec.createNamespace`,
    );
    const objects = Array.from({ length: 10 }, (_, at) => `no answer for x-${at}`);
    await expect(saying(`Error: ${objects[0]}`, ...objects.slice(1)).rollback(act, 1, policy)).rejects.toThrow(
      /^no answer for x-0; no answer for x-1; .*; no answer for x-7; and 2 more lines$/,
    );
  });

  it('[issue 12.4] is named with what makes it a dry run, and when that is stopped, what changed the release last is told again', async () => {
    const { helm, folder, works } = helmThat('case "$*" in *--dry-run*) touch begun; exec sleep 30;; esac');
    const chart = { folder: path.join(folder, 'chart'), path: 'charts/books', revision: 'c0ffee' };
    mkdirSync(chart.folder);
    writeFileSync(path.join(chart.folder, 'Chart.yaml'), 'name: books\nversion: 1.0.0\n');
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const rest = { timeoutSeconds: 60, maxHistory: 10, wait: false, force: false, skipCRDs: false, createNamespace: false };
    const dryRun = () =>
      helm
        .dryRun({ ...act, ...rest, generation: 1, chart, values: {}, disableOpenAPIValidation: false, resetValues: true })
        .catch(() => 'stopped');
    const stopped = async () => {
      const running = dryRun();
      await until('it runs', () => existsSync(path.join(folder, 'begun')));
      expect(works.of(act.release)).toMatchObject({ command: 'upgrade --dry-run=server', until: null });
      expect(await helm.underWay(act.release)?.cancel('ann')).toBe('upgrade --dry-run=server');
      expect(await running).toBe('stopped');
      rmSync(path.join(folder, 'begun'));
    };
    await stopped();
    expect(works.of(act.release)).toMatchObject({ command: 'upgrade --dry-run=server', until: expect.any(Number) });
    await helm.rollback(act, 1, policy);
    await stopped();
    expect(works.of(act.release)).toMatchObject({ command: 'rollback', until: expect.any(Number) });
  });

  it('[issue 12.1] that ended by itself before a person cancelled it takes no other with it', async () => {
    const { helm, folder } = helmThat('touch "began-$1"; while [ ! -e "go-$1" ]; do sleep 0.02; done');
    const at = (name: string) => path.join(folder, name);
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const first = helm.rollback(act, 1, policy);
    await until('the first runs', () => existsSync(at('began-rollback')));
    const seen = helm.underWay(act.release);
    writeFileSync(at('go-rollback'), '');
    await first;
    const next = helm.uninstall(act);
    await until('the next runs', () => existsSync(at('began-uninstall')));
    expect(seen?.cancel('ann')).toBeUndefined();
    writeFileSync(at('go-uninstall'), '');
    await next;
  });

  it('[issue 12] is given a chart whose files are gone through once, since what is exported does not change', async () => {
    const { helm, folder } = helmThat('cat > /dev/null; echo "{}"');
    const chart = { folder: path.join(folder, 'chart'), path: 'charts/books', revision: 'c0ffee' };
    mkdirSync(chart.folder);
    writeFileSync(
      path.join(chart.folder, 'Chart.yaml'),
      'name: books\ndependencies: [{ name: cache, version: 1.0.0, repository: https://charts.example.com }]\n',
    );
    const act = { release: { namespace: 'pay', name: 'books' }, onBehalfOf: { namespace: 'pay', account: undefined } };
    const rest = { timeoutSeconds: 60, maxHistory: 10, wait: false, force: false, skipCRDs: false, createNamespace: false };
    const request = { ...act, ...rest, generation: 1, chart, values: {}, disableOpenAPIValidation: false, resetValues: true };
    const { treeDigest } = await helm.dryRun(request);
    expect(treeDigest).toMatch(/^chart-tree [0-9a-f]{40}$/);
    writeFileSync(path.join(chart.folder, 'Chart.yaml'), 'name: books\n');
    expect((await helm.dryRun(request)).treeDigest).toBe(treeDigest);
  });

  it.each(['--post-renderer=/bin/sh', '-n', 'a b', 'a,owner=helm', 'a/b', 'A', ''])(
    '[issue 12, 5] is not run for a release or a namespace called %j',
    async (name) => {
      const { helm, folder } = helmThat('touch ran');
      for (const release of [
        { namespace: 'pay', name },
        { namespace: name, name: 'books' },
      ]) {
        await expect(helm.uninstall({ release, onBehalfOf: { namespace: 'pay', account: undefined } })).rejects.toThrow(
          'is not a valid name of a',
        );
        await expect(helm.readNewest(release)).rejects.toThrow('is not a valid name of a');
      }
      expect(existsSync(path.join(folder, 'ran'))).toBe(false);
    },
  );
});
