import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { KubeApiError, KubeTransportError } from '../errors';
import type { HeaderLines } from './identity';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_REFUSAL = 16 * 1024;

export interface Upgrade {
  readonly path: string;
  readonly headers: HeaderLines;
  /** The protocol that is spoken in messages. */
  readonly protocol: string;
  readonly signal: AbortSignal | undefined;
  readonly what: string;
}

export interface Upgraded {
  readonly socket: Duplex;
  /** What came with the answer already. */
  readonly head: Uint8Array;
}

/** Asks for a WebSocket; throws the refusal of the server with its sentence. */
export function upgrade(dispatcher: Dispatcher, { path, headers, protocol, signal, what }: Upgrade): Promise<Upgraded> {
  const key = randomBytes(16).toString('base64');
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  const asked: HeaderLines = { ...headers, 'sec-websocket-key': key, 'sec-websocket-version': '13', 'sec-websocket-protocol': protocol };
  return new Promise((resolve, reject) => {
    let status = 0;
    let refusal = '';
    let unlisten: () => void = () => undefined;
    const fail = (error: unknown) => {
      unlisten();
      reject(error);
    };
    dispatcher.dispatch(
      { path, method: 'GET', headers: asked, upgrade: 'websocket' },
      {
        onRequestStart(controller) {
          const abort = () => controller.abort(new KubeTransportError(`${what} was given up`));
          if (signal?.aborted) return abort();
          signal?.addEventListener('abort', abort, { once: true });
          unlisten = () => signal?.removeEventListener('abort', abort);
        },
        onRequestUpgrade(_controller, code, answer, socket) {
          unlisten();
          const isOurs = code === 101 && answer['sec-websocket-accept'] === accept && answer['sec-websocket-protocol'] === protocol;
          if (isOurs) return resolve({ socket, head: new Uint8Array() });
          socket.destroy();
          fail(new KubeTransportError(`the server does not speak ${protocol} for ${what}`));
        },
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData(_controller, chunk) {
          if (refusal.length < MAX_REFUSAL) refusal += chunk.toString();
        },
        onResponseEnd: () => fail(refusalOf(status, refusal, what)),
        onResponseError: (_controller, error) =>
          fail(
            error instanceof KubeTransportError
              ? error
              : new KubeTransportError(`${what} got no answer: ${error.message}`, { cause: error }),
          ),
      },
    );
  });
}

function refusalOf(code: number, body: string, what: string): KubeApiError {
  let told: { readonly message?: unknown; readonly reason?: unknown } = {};
  try {
    told = JSON.parse(body) as typeof told; // each field is looked at
  } catch {
    // an answer of a proxy, or of a kubelet: its text tells
  }
  const message = typeof told.message === 'string' ? told.message : body.trim().slice(0, 400) || `the server answered ${code} to ${what}`;
  return new KubeApiError({ code, reason: typeof told.reason === 'string' ? told.reason : 'Unknown', message });
}
