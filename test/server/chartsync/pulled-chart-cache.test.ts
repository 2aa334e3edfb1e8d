import { existsSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packChart } from '../../support/chart-archive';
import type { Offered } from './pulled-rig';
import { indexOf, open, web } from './pulled-rig';

const nobody = () => false;

describe('what was pulled from a Helm repository', () => {
  it('[issue 12.1] is asked for its index anew, once, when somebody asks for that: what was published a second ago is found', async () => {
    const offered: Offered[] = [{ version: '1.0.0', bytes: packChart('ledger', '1.0.0') }];
    let status = 200;
    const repository = await web((asked, answer) => {
      if (asked === '/index.yaml') return answer.writeHead(status).end(indexOf(offered));
      return answer.end(offered.find(({ version }) => asked === `/ledger-${version}.tgz`)?.bytes);
    });
    const { pull, refresh } = open();
    const at = `https://charts.test:${repository.port}`;
    const indexes = () => repository.seen.filter(({ path: asked }) => asked === '/index.yaml').length;
    const found = async () => (await pull(at, '^1.0.0')).revision;
    expect(await found()).toBe('1.0.0');
    offered.push({ version: '1.1.0', bytes: packChart('ledger', '1.1.0') });
    expect([await found(), indexes()]).toEqual(['1.0.0', 1]);
    refresh(at);
    expect([await found(), await found(), (await pull(at, '1.0.0')).revision, indexes()]).toEqual(['1.1.0', '1.1.0', '1.0.0', 2]);
    status = 503;
    refresh(at);
    await expect(found()).rejects.toThrow('answered 503');
    expect((await pull(at, '1.0.0')).revision).toBe('1.0.0'); // it lies here
    expect(indexes()).toBe(3);
    status = 200;
    await expect(found()).rejects.toThrow('answered 503');
    refresh(at);
    expect([await found(), indexes()]).toEqual(['1.1.0', 4]);
  });

  it('[issue 12.1] is asked for an archive again that it failed to answer, once somebody asks for that, and not before', async () => {
    const bytes = packChart('ledger', '1.0.0');
    let status = 500;
    const repository = await web((asked, answer) =>
      asked === '/index.yaml' ? answer.end(indexOf([{ version: '1.0.0', bytes }])) : answer.writeHead(status).end(bytes),
    );
    const { pull, pulled, refresh } = open();
    const at = `https://charts.test:${repository.port}`;
    const wanted = { repository: at, name: 'ledger', version: '1.0.0', secret: { name: 'repo' } };
    const archive = () => pulled.archive(wanted, { namespace: 'pay', account: undefined });
    await expect(pull(at, '1.0.0')).rejects.toThrow('answered 500');
    await expect(archive()).rejects.toThrow('answered 500');
    status = 200;
    await expect(pull(at, '1.0.0')).rejects.toThrow('answered 500');
    await expect(archive()).rejects.toThrow('answered 500');
    refresh(at);
    expect([(await pull(at, '1.0.0')).revision, (await archive()).version]).toEqual(['1.0.0', '1.0.0']);
  });

  it('[X-SRC-1] is let go of with what was pulled from it when no pass asks for that any more', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const repository = await web((asked, answer) => answer.end(asked === '/index.yaml' ? indexOf([{ version: '1.0.0', bytes }]) : bytes));
    const { pull, pulled, folder } = open();
    const at = `https://charts.test:${repository.port}`;
    await pull(at, '1.0.0');
    await pulled.keep(nobody);
    await pull(at, '1.0.0');
    await pulled.keep(nobody);
    expect(readdirSync(path.join(folder, 'pulled')).length).toBe(1);
    await pulled.keep(nobody);
    expect(readdirSync(path.join(folder, 'pulled'))).toEqual([]);
  });

  it('[X-SRC-2] is pulled into a folder of its own each time, so that removing what was pulled before takes nothing of it', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const repository = await web((asked, answer) => answer.end(asked === '/index.yaml' ? indexOf([{ version: '1.0.0', bytes }]) : bytes));
    const { pull, pulled } = open();
    const at = `https://charts.test:${repository.port}`;
    const first = await pull(at, '1.0.0');
    await pulled.keep(nobody);
    const [, second] = await Promise.all([pulled.keep(nobody), pull(at, '1.0.0')]);
    expect(second.folder).not.toBe(first.folder);
    expect(existsSync(first.folder)).toBe(false);
    expect(existsSync(path.join(second.folder, 'Chart.yaml'))).toBe(true);
  });

  it('[X-SRC-2] that answers slowly is waited for, however many passes end meanwhile', async () => {
    const bytes = packChart('ledger', '1.0.0');
    let tellAsked: (answer: ServerResponse) => void = () => undefined;
    const asked = new Promise<ServerResponse>((resolve) => {
      tellAsked = resolve;
    });
    const repository = await web((path, answer) => {
      if (path === '/index.yaml') answer.end(indexOf([{ version: '1.0.0', bytes }]));
      else tellAsked(answer);
    });
    const { pull, pulled } = open();
    const pulling = pull(`https://charts.test:${repository.port}`, '1.0.0');
    const answer = await asked;
    const passes = Promise.all([pulled.keep(nobody), pulled.keep(nobody), pulled.keep(nobody)]);
    answer.end(bytes);
    const { folder } = await pulling;
    await passes;
    expect(existsSync(path.join(folder, 'Chart.yaml'))).toBe(true);
    await pulled.keep(nobody);
    expect(existsSync(folder)).toBe(true);
  });

  it('[X-SRC-1] stays for as long as a sync reads it, though no pass asks for it any more', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const repository = await web((asked, answer) => answer.end(asked === '/index.yaml' ? indexOf([{ version: '1.0.0', bytes }]) : bytes));
    const { pull, pulled } = open();
    const { folder } = await pull(`https://charts.test:${repository.port}`, '1.0.0');
    for (const _ of [1, 2, 3]) await pulled.keep((one) => folder.startsWith(`${one}/`));
    expect(existsSync(folder)).toBe(true);
    await pulled.keep(nobody);
    expect(existsSync(folder)).toBe(false);
  });
});
