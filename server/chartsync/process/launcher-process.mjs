// Starts programs for the server, as a process of its own (./launcher.ts). Plain JavaScript, since it runs as it stands also where nothing is built.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

const notify = (message, done) => {
  if (process.connected) process.send(message, undefined, {}, done);
};

function start({ id, command, args, env, cwd, input, log }) {
  // What is added to a file may be cut short by whoever follows it.
  const file = log === undefined ? undefined : openSync(log, 'a', 0o600);
  const child = spawn(command, args, { env, cwd, detached: true, stdio: file === undefined ? 'pipe' : ['pipe', 'ignore', file] });
  if (file !== undefined) closeSync(file); // the child has its own
  if (child.pid !== undefined) notify({ id, kind: 'started', pid: child.pid });
  for (const name of log === undefined ? ['stdout', 'stderr'] : [])
    child[name].on('data', (chunk) => {
      child[name].pause(); // until this much has gone: what a program writes must not pile up here
      notify({ id, kind: name, chunk }, () => child[name].resume());
    });
  child.stdin.on('error', () => undefined); // it ended without reading all: its exit code tells
  child.stdin.end(input);
  child.on('error', ({ message, code }) => notify({ id, kind: 'failed', message, code }));
  child.on('close', (code, signal) => notify({ id, kind: 'ended', code, signal }));
}

process.on('message', (call) => {
  try {
    start(call);
  } catch ({ message, code }) {
    notify({ id: call.id, kind: 'failed', message, code });
  }
});
// A signal to all of the terminal is the server's to heed: this ends with the server, and not before what the server asked to end.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
process.on('disconnect', () => process.exit());
