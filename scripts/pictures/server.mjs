// The built server with its demonstration, whose clock begins at one fixed moment, so that the dates in pictures are always the same.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { obtainHelm } from '../helm-binary.mjs';

const BEGINS_AT = Date.UTC(2026, 10, 20, 9, 0);
const START_LIMIT_MS = 180_000;
const DEMONSTRATION_LIMIT_MS = 180_000;
const AGAIN_MS = 500;
/** Those that the demonstration begins: two first ones, and one to a second revision. */
const ROLLOUTS = 3;

/** What a program or a page runs before anything else: its clock goes as the real one does, and is off by the same everywhere. */
export const FIXED_CLOCK = `{
  const Real = Date;
  const { UTC, parse } = Real;
  const now = () => Real.now() + ${BEGINS_AT - Date.now()};
  globalThis.Date = class Date extends Real {
    constructor(...parts) {
      super(...(parts.length === 0 ? [now()] : parts));
    }
    static now() {
      return now();
    }
    // Its own, since Next copies what is.
    static UTC = UTC;
    static parse = parse;
  };
}`;

/** Starts it in a data folder of its own, which pages name, and answers with the address that signs in; ending it removes the folder. */
export async function startServer() {
  const helm = (await obtainHelm()).path;
  const dataDir = path.join(os.tmpdir(), 'slipway');
  mkdirSync(dataDir);
  const child = spawn(process.execPath, ['scripts/start.mjs', '--port', '0', '--data-dir', dataDir, '--helm', helm], {
    env: {
      ...process.env,
      KUBECONFIG: '',
      TZ: 'UTC',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FIXED_CLOCK)}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { address: await addressOf(child), end };
  } catch (error) {
    await end();
    throw error;
  }
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server printed no address within ${START_LIMIT_MS} ms`)), START_LIMIT_MS);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it printed an address`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!/^https?:\/\//.test(line)) return;
      clearTimeout(late);
      resolve(line.trim());
    });
  });
}

/** Waits until the demonstration is in place, by the eyes of somebody who is signed in; answers with what it made for the pages. */
export async function demonstrationInPlace({ request, origin }) {
  const read = async (address) => (await request.get(`${origin}${address}`)).json();
  const rowOf = async (topic) => (await read(`/api/v1/rows?topic=${encodeURIComponent(topic)}`)).rows?.[0];
  const isReady = async (topic) => /^everything is ready/i.test((await rowOf(topic))?.message ?? '');
  const isReleased = async (name) => {
    const row = await rowOf(`release/platform/helmrelease/${name}`);
    return /^in-sync$|waits for approval/.test(row?.waits ?? row?.approval ?? row?.state ?? '');
  };
  // The figures of the last weeks are as old as when they were read last.
  const isCounted = async () => (await read('/api/v1/rollouts/history')).all?.started >= ROLLOUTS;
  for (const until = Date.now() + DEMONSTRATION_LIMIT_MS; ; ) {
    const rollout = await rowOf('rollout/shop/checkout');
    const atGate = rollout?.actions.some(({ verb, allowed }) => verb === 'approve' && allowed) === true;
    const ready = [isReady('application/catalogue/catalogue'), isReady('application/shop/storefront')];
    const standing = [...ready, isReleased('notifier'), isReleased('reports'), isCounted()];
    if (atGate && (await Promise.all(standing)).every(Boolean)) break;
    if (Date.now() > until) throw new Error(`the demonstration was not in place within ${DEMONSTRATION_LIMIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  const [older = '', newer = ''] = (await rowOf('application/shop/checkout'))?.trackers ?? [];
  const { pods } = await read('/api/v1/kinds/apps/deployments/pods?ns=shop&name=checkout-v1');
  return { pod: pods[0].name, older, newer };
}
