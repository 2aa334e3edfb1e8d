import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LoopbackCertificate } from './loopback-certificate';

/** A web server on loopback that remembers whom it served. */
export interface LoopbackWeb extends AsyncDisposable {
  readonly port: number;
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** How many connections are open. */
  open(): number;
}

interface Options {
  readonly certificate?: LoopbackCertificate;
  readonly address?: string;
  readonly port?: number;
}

/** Starts one; with a certificate it speaks https. */
export async function startWeb(
  listener: RequestListener,
  { certificate, address = '127.0.0.1', port = 0 }: Options = {},
): Promise<LoopbackWeb> {
  const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const sockets = new Set<object>();
  const serve: RequestListener = (request, answer) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    listener(request, answer);
  };
  const server = certificate === undefined ? http.createServer(serve) : https.createServer(certificate, serve);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(port, address, resolve));
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    seen,
    open: () => sockets.size,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
