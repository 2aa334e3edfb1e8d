import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readManifests } from '@/server/installation';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
const ENDS_MS = 5500;
const NAMESPACE = `slipway-diagnose-${randomUUID().slice(0, 8)}`;
const KWOK = 'kwok.x-k8s.io/v1alpha1';
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'slipway:terminal' } as const;
const FORWARD_ROLE = { ...ROLE, name: 'slipway:port-forward' } as const;
const POD = {
  ...KINDS.pod,
  metadata: { namespace: NAMESPACE, name: 'web' },
  spec: { containers: [{ name: 'app', image: 'registry.example.com/web:1' }] },
} as KubeObject;

/** A record as the container runtime writes it. */
const record = (text: string, at = new Date().toISOString()) => `${at} stdout F ${text}\n`;
/** Left free between a terminal and its frame. */
const MARGIN_PX = 8;
const shownBy = (page: Page) => page.locator('.xterm-accessibility-tree [role=listitem]').allInnerTexts();
const lines = (page: Page) => page.getByRole('log', { name: 'Lines of the log' }).locator('[data-line]');

describe('logs and terminals of a real API server, whose nodes are played', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-logs-'));
  const file = path.join(folder, 'web.log');
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;

  // What the port of the pod answers: kwok leads there.
  const farm = createServer((request, answer) => void request.pipe(answer));

  const activity = async (of = 'terminal.') => {
    const answer = await operator.context.request.get(`${server.origin}/api/v1/activity?size=50`);
    const { rows } = (await answer.json()) as {
      readonly rows: readonly { readonly action: string; readonly actor: string; readonly message: string; readonly name: string }[];
    };
    return rows.filter(({ action }) => action.startsWith(of));
  };
  const type = async (page: Page, text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  const openTerminal = async (page: Page) => {
    await page.goto(`${server.origin}/pods/${NAMESPACE}/web/terminal`);
    await page
      .getByText(/You are in container app of pod web/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
  };

  beforeAll(async () => {
    cluster = openCluster(process.env.KUBECONFIG ?? '');
    writeFileSync(
      file,
      record('{"level":"info","msg":"started"}') +
        record('{"level":"error","msg":"out of \\u001b[31mluck"}') +
        record('\u001b[2Jcleared \u202etxt'),
    );
    const logs = { logs: [{ containers: ['app'], logsFile: file, previousLogsFile: file, follow: true }] };
    const exec = { execs: [{ containers: ['app'], local: { workDir: '/tmp', securityContext: { runAsUser: 65534, runAsGroup: 65534 } } }] };
    await new Promise<void>((resolve) => farm.listen(0, '127.0.0.1', resolve));
    const forwards = { forwards: [{ ports: [8080], target: { address: '127.0.0.1', port: (farm.address() as AddressInfo).port } }] };
    const rules = [
      { apiVersion: KWOK, kind: 'PortForward', metadata: { namespace: NAMESPACE, name: 'web' }, spec: forwards },
      { apiVersion: KWOK, kind: 'Logs', metadata: { namespace: NAMESPACE, name: 'web' }, spec: logs },
      { apiVersion: KWOK, kind: 'Exec', metadata: { namespace: NAMESPACE, name: 'web' }, spec: exec },
    ];
    const objects: readonly KubeObject[] = [
      { ...KINDS.namespace, metadata: { name: NAMESPACE } },
      ...(await readManifests('deploy/rbac')),
      ...rules,
      POD,
    ];
    for (const object of objects) {
      await cluster.create(object, { fieldManager: 'diagnose-test' }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    server = await startServerProcess(['--kubeconfig', path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig')]);
    visitors = await startBrowser();
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await until('the pod runs', async () => {
      const { status } = (await cluster.get({ ...KINDS.pod, namespace: NAMESPACE, name: 'web' })) as {
        readonly status?: { readonly phase?: string };
      };
      return status?.phase === 'Running';
    });
  });

  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await cluster?.delete({ ...KINDS.namespace, name: NAMESPACE }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    await cluster?.[Symbol.asyncDispose]();
    farm.closeAllConnections();
    farm.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[issue 14.1] shows what the kubelet streams, follows it, filters by level, and writes out what a terminal or a bidirectional text would act upon', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/pods/${NAMESPACE}/web/logs`);
    await expect.poll(() => lines(page).count(), POLL).toBe(3);
    const shown = (await lines(page).allInnerTexts()).join('\n');
    expect(shown).toContain('\\u001b[2Jcleared \\u202etxt');
    appendFileSync(file, record('{"level":"warn","msg":"followed"}') + record('x'.repeat(20_000)));
    await page.getByRole('button', { name: 'Download 5 lines' }).waitFor({ timeout: LIMIT_MS });
    await page
      .getByText(/bytes cut off/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await page.getByRole('combobox', { name: 'Level' }).selectOption('warn');
    await expect.poll(async () => (await lines(page).allInnerTexts()).some((text) => text.includes('started')), POLL).toBe(false);
    await page.getByRole('combobox', { name: 'Level' }).selectOption('');
    await page.getByRole('checkbox', { name: 'Run before the last restart', exact: true }).check();
    await page.getByText('Read once; select Follow to continue.').first().waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 14.1] opens a shell as the person, carries keys and sizes, gives the keyboard back, and puts on record who and where, not what was typed', async () => {
    const { page, faults } = operator;
    await openTerminal(page);
    await type(page, "printf '\\033[38;2;255;136;0mcoloured\\033[0m\\n'; echo planted-$((40+2)); id -u");
    await expect.poll(async () => (await shownBy(page)).join('\n'), POLL).toMatch(/planted-42[\s\S]*65534/);
    await page.setViewportSize({ width: 900, height: 700 });
    await type(page, 'seq 80; stty size');
    await expect.poll(async () => (await shownBy(page)).join('\n'), POLL).toMatch(/^\d+ \d+$/m);
    // The last line and the last column are on the screen, and not beneath the edge of the frame.
    const [screen, frame] = [
      await page.locator('.xterm-screen').boundingBox(),
      await page.locator('section:has(.xterm)').last().boundingBox(),
    ];
    if (screen === null || frame === null) throw new Error('there is no terminal on the screen');
    expect(screen.y + screen.height).toBeLessThanOrEqual(frame.y + frame.height - MARGIN_PX);
    expect(screen.x + screen.width).toBeLessThanOrEqual(frame.x + frame.width - MARGIN_PX);
    await page.keyboard.press('F6');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), POLL).toBe('End of the terminal.');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.origin}/activity`);
    await expect
      .poll(async () => (await activity()).map(({ action, name }) => `${action} ${name}`), POLL)
      .toEqual(['terminal.end web', 'terminal.open web']);
    const told = await activity();
    expect(told.map(({ actor }) => actor)).toEqual(['operator', 'operator']);
    expect(JSON.stringify(told)).not.toMatch(/planted|echo/);
    expect(faults).toEqual([]);
  });

  it('[issue 14.1] ends within five seconds when the right is taken away; without it none is opened, with it one is again', async () => {
    const { page } = operator;
    await openTerminal(page);
    const { rules } = (await cluster.get(ROLE)) as unknown as { readonly rules: readonly object[] };
    try {
      await cluster.patch(ROLE, { type: 'merge', body: { rules: [] } });
      const begun = performance.now();
      await page
        .getByText(/Ended: Operator may not do this: it requires the right "create" on pods\/exec web/i)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      expect(performance.now() - begun).toBeLessThan(ENDS_MS);
      await page.getByRole('button', { name: 'Open again' }).click();
      await page.getByText('Access denied').first().waitFor({ timeout: LIMIT_MS });
    } finally {
      await cluster.patch(ROLE, { type: 'merge', body: { rules } });
    }
    await expect
      .poll(async () => {
        await page
          .getByRole('button', { name: 'Open again', exact: true })
          .click({ timeout: 3000 })
          .catch(() => undefined);
        return page
          .getByText(/You are in container app/)
          .first()
          .waitFor({ timeout: 3000 })
          .then(
            () => true,
            () => false,
          );
      }, POLL)
      .toBe(true);
  });

  /** Forwards port 8080 of the pod by the command; resolves once it listens. */
  const forward = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [
      'server/cli/slipway.mjs',
      'port-forward',
      'pod/web',
      ...args,
      '-n',
      NAMESPACE,
      '--data-dir',
      server.dataDir,
    ]);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        said += text.toString();
      });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await expect.poll(() => said, POLL).toMatch(/Forwarding from|error:/);
    return { child, said: () => said, ended, port: Number(/127\.0\.0\.1:(\d+) ->/.exec(said)?.[1]) };
  };

  it('[issue 14.1] forwards a port of the pod to this machine as the person, by `slipway port-forward`, on record', async () => {
    const running = await forward(':8080');
    const body = 'x'.repeat(200_000);
    for (let at = 0; at < 3; at++) {
      const answer = await fetch(`http://127.0.0.1:${running.port}/`, { method: 'POST', body });
      expect((await answer.text()) === body).toBe(true);
    }
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(0);
    await expect
      .poll(async () => (await activity('port-forward.')).map(({ action, name, actor }) => `${action} ${name} ${actor}`), POLL)
      .toEqual(['port-forward.end web operator', 'port-forward.open web operator']);
    const other = await forward(':9999'); // kwok leads nowhere from there
    await expect(fetch(`http://127.0.0.1:${other.port}/`)).rejects.toThrow();
    await expect.poll(other.said, POLL).toMatch(/port 9999: .*9999/);
    other.child.kill('SIGINT');
    expect(await other.ended).toBe(0);
  });

  it('[issue 14.1] ends a forward and its connections within five seconds when the right is taken away', async () => {
    const running = await forward(':8080');
    const { rules } = (await cluster.get(FORWARD_ROLE)) as unknown as { readonly rules: readonly object[] };
    try {
      await cluster.patch(FORWARD_ROLE, { type: 'merge', body: { rules: [] } });
      const begun = performance.now();
      expect(await running.ended).toBe(1);
      expect(performance.now() - begun).toBeLessThan(ENDS_MS);
      expect(running.said()).toMatch(/operator may not do this: it requires the right "create" on pods\/portforward web/);
      expect((await forward(':8080')).said()).toMatch(/it requires the right "create" on pods\/portforward/);
    } finally {
      await cluster.patch(FORWARD_ROLE, { type: 'merge', body: { rules } });
    }
  });

  it('[issue 14.1] ends within five seconds when the session goes', async () => {
    const { page } = operator;
    await openTerminal(page);
    const before = (await activity()).filter(({ action }) => action === 'terminal.end').length;
    const second = await visitors.visit(server.address).catch(() => undefined);
    await second?.context.close();
    await operator.context.request.delete(`${server.origin}/api/v1/session`, { headers: { origin: server.origin } });
    await page
      .getByText(/session has ended|connection to the server was lost|signed out/i)
      .first()
      .waitFor({ timeout: ENDS_MS });
    expect(before).toBeGreaterThan(0);
  });
});
