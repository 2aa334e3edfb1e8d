import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { guardPort, pathOf } from '@/server/port-guard';

let server: Server;
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

async function open(upgrades: (path: string) => boolean) {
  server = createServer((_request, response) => response.end('ok'));
  const guard = guardPort(server, { upgrades });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return guard;
}

function upgrade(path: string): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  clients.push(client);
  client.on('error', () => undefined);
  client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  return new Promise((resolve) => client.once('connect', () => resolve(client)));
}

describe('the guard of the port', () => {
  it('[design 8] cuts an upgrade that nobody takes', async () => {
    await open(() => false);
    const client = await upgrade('/nowhere');
    client.resume();
    await new Promise((resolve) => client.once('end', resolve));
    expect(client.readableEnded).toBe(true);
  });

  it('[design 4] lets the server close while an upgraded connection is open, even one whose client has left', async () => {
    const guard = await open(() => true);
    const upgraded = new Promise((resolve) => server.once('upgrade', resolve));
    const client = await upgrade('/taken');
    await upgraded;
    client.end();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    guard.cutAll();
    await closed;
    expect(server.listening).toBe(false);
  });

  it('[design 8] gives every answer the strictest headers', async () => {
    await open(() => false);
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['/rollouts/a?x=%ff', '/rollouts/a'],
    ['*', ''],
    ['http://elsewhere.example/api/v1/session', ''],
    ['/rollouts/%ff/x', ''],
  ])('[design 8] reads %s as the path "%s"', (url, path) => {
    expect(pathOf({ url })).toBe(path);
  });
});
