import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stringifyExact } from '@/lib/std/exact-json';
import { getApiStatus } from '@/server/kube';
import { listenAt } from '@/server/platform';
import type { ApiContext } from '../api/context';
import { internal, tooLarge, toStatusObject } from '../api/failures';
import { ADMIN } from '../rights/caller';
import { keepEndpoint, readEndpoint } from '../storage/kept-endpoint';
import { jsonAnswer } from './answers';
import { authenticate } from './authenticate';
import { createCertificate } from './certificate';
import type { HttpAnswer, HttpHandler } from './handler';
import { readProtobuf } from './protobuf';

/** The HTTP endpoint, open. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  /** Bearer token with all rights. */
  readonly token: string;
  /** Text of a kubeconfig with that token. */
  readonly kubeconfig: string;
}

interface ServeDeps {
  readonly context: ApiContext;
  readonly http: HttpHandler;
  readonly dataDir?: string;
}

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const GZIP_FROM_BYTES = 128 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const pack = promisify(gzip);

/**
 * Opens the HTTP endpoint on loopback, under a certificate of its own; with a data folder its kubeconfig is written there, for its owner's eyes only, and
 * it is the endpoint of the last start (docs/decisions/0194-the-endpoint-of-the-embedded-cluster-stays.md).
 */
export async function serveHttp(deps: ServeDeps, at: { readonly host?: string; readonly port?: number }): Promise<Serving> {
  const { context, dataDir } = deps;
  const { host = '127.0.0.1', port = 0 } = at;
  const kept = dataDir === undefined ? undefined : readEndpoint(dataDir, context.clock.now());
  const certificate = kept?.certificate ?? createCertificate(context.clock.now());
  const server = createServer(certificate, (request, response) => {
    answer(deps, request, response).catch((error: unknown) => {
      context.log.error({ error: String(error), path: request.url }, 'a request to the embedded cluster failed');
      response.destroy();
    });
  });
  const listen = (wanted: number) => listenAt(server, { host, port: wanted }, 'give the embedded cluster another --cluster-port');
  const isFree = port === 0 && kept !== undefined;
  const listening = await (isFree ? listen(kept.port).catch(() => listen(0)) : listen(port)); // another program may have its port by now
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${listening}`;
  const token = kept?.token ?? context.ids.secret();
  context.tokens.add(token, ADMIN);
  const kubeconfig = toKubeconfig(url, token, certificate.cert);
  if (dataDir !== undefined) {
    writeFileSync(path.join(dataDir, 'kubeconfig'), kubeconfig, { mode: 0o600 });
    keepEndpoint(dataDir, { certificate, token, port: listening });
  }
  return {
    url,
    token,
    kubeconfig,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function toKubeconfig(server: string, token: string, authority: string): string {
  const trusted = Buffer.from(authority).toString('base64');
  const name = 'slipway-embedded';
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    `clusters: [{ name: ${name}, cluster: { server: "${server}", certificate-authority-data: ${trusted} } }]`,
    `users: [{ name: ${name}, user: { token: "${token}" } }]`,
    `contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name}, namespace: default } }]`,
    '',
  ].join('\n');
}

async function answer(deps: ServeDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answered = await toAnswer(deps, request);
  for (const [name, value] of Object.entries(answered.headers)) response.setHeader(name, value);
  response.statusCode = answered.status;
  const { body } = answered;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return stream(body, response);
  const bytes = Buffer.from(body);
  if (bytes.length < GZIP_FROM_BYTES || !String(request.headers['accept-encoding']).includes('gzip')) {
    response.end(request.method === 'HEAD' ? undefined : bytes);
    return;
  }
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
  response.end(await pack(bytes, { level: 1 }));
}

async function toAnswer({ context, http }: ServeDeps, request: IncomingMessage): Promise<HttpAnswer> {
  try {
    const caller = authenticate(context, request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    );
    const bytes = await readBody(request);
    const isProtobuf = headers['content-type']?.startsWith(PROTOBUF) === true && bytes.length > 0;
    const body = isProtobuf ? stringifyExact(readProtobuf(bytes)) : bytes.toString('utf8');
    if (isProtobuf) headers['content-type'] = 'application/json';
    return await http({ method: request.method ?? 'GET', url: request.url ?? '/', headers, body, caller });
  } catch (error) {
    const status = getApiStatus(error) ?? internal('Internal error occurred').status;
    if (getApiStatus(error) === undefined)
      context.log.error({ error: String(error), path: request.url }, 'the embedded cluster failed to answer');
    return jsonAnswer(status.code, toStatusObject(status));
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Writes a watch for as long as both sides last. A reader who does not keep up stops the writing; the watch cuts itself off behind it. */
async function stream(lines: AsyncIterable<string>, response: ServerResponse): Promise<void> {
  const source = lines[Symbol.asyncIterator]();
  if (response.destroyed) return void (await source.return?.()); // whoever asked went before there was an answer
  response.on('close', () => void source.return?.());
  response.flushHeaders();
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (response.destroyed) break;
    if (!response.write(next.value)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
