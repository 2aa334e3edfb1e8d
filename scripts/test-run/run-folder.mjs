// Where the files of a test run lie: in memory where the system has room, since tests make and remove ten thousands of them, which costs a tenth of the
// processor time on a disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 6 * 1024 ** 3;

/** A new folder for what a run of tests makes, whose name begins with `prefix`; a TMPDIR that is set is kept to. Its maker removes it. */
export function makeRunFolder(prefix) {
  if (process.env.TMPDIR || !hasRoom()) return mkdtempSync(path.join(os.tmpdir(), prefix));
  const folder = mkdtempSync(path.join(MEMORY, prefix));
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return mkdtempSync(path.join(os.tmpdir(), prefix));
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, os.freemem()) >= ROOM_BYTES;
  } catch {
    return false; // there is no such folder on this system
  }
}

/** Tests put programs into their folders, and memory may be mounted so that none runs. */
function runsPrograms(folder) {
  const program = path.join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
