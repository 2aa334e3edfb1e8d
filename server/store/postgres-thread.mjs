// The thread in which the embedded Postgres computes: its start takes more than a second of computing and a query some milliseconds, during
// which the event loop would answer nobody. It speaks the protocol of Postgres with node-postgres on the other side (thread-socket.ts).
// As a program of its own (arguments: a folder, settings as JSON) it makes an empty database there and ends: that takes seconds of computing and a
// hundred megabytes, which the server's process would keep.
import { cpSync, renameSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

const [STARTUP, TERMINATE] = [0x00, 0x58];
/** AuthenticationOk and ReadyForQuery: the thread is the only way in, and whoever started it may. */
const WELCOME = [0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49];

const open = (dataDir, settings) => PGlite.create({ dataDir, startParams: [...PGlite.defaultStartParams, ...settings] });

if (isMainThread) await (await open(process.argv[2], JSON.parse(process.argv[3] ?? '[]'))).close();
else await serve(await openPlace(workerData));

function openPlace({ folder, draft, settings }) {
  if (draft?.template !== undefined) cpSync(draft.template, draft.path, { recursive: true });
  if (draft !== undefined) renameSync(draft.path, folder);
  return open(folder, settings);
}

async function serve(database) {
  let last = Promise.resolve();
  parentPort.on('message', (message) => {
    last = last.then(async () => {
      if (message === 'end') {
        await database.close();
        parentPort.close();
        return;
      }
      const bytes = await answer(database, message);
      if (bytes !== undefined) parentPort.postMessage(bytes, [bytes.buffer]);
    });
  });
  parentPort.postMessage('open');
}

async function answer(database, bytes) {
  if (bytes[0] === TERMINATE) return undefined;
  if (bytes[0] !== STARTUP) return (await database.execProtocolRaw(bytes)).slice(); // what it gives may be a view of the whole memory
  await database.exec('rollback'); // a connection that broke may have left a transaction open, and there is but this one session
  return Uint8Array.from(WELCOME);
}
