import { describe, expect, it } from 'vitest';
import type { StatusesBody } from '@/lib/contract/object-statuses';
import type { ErrorBody } from '@/lib/contract/pages/answers';
import { toInstant } from '@/lib/std/instant';
import { createApiRig } from './rig';
import { APPLICATION, anObserved, aShop, asObject, eventsOf, FRONT, line, OF_WEB } from './status-rig';

describe('the status of an application', () => {
  it('[issue 9] is that of itself and of everything it lists, with how it is known', async () => {
    const rig = await aShop();
    const answer = await rig.send(OF_WEB);
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as StatusesBody;
    expect(body).toMatchObject({ status: 'Current', observedAt: '2026-01-01T09:00:00.000Z', source: 'watch', stale: null });
    expect(body.objects.map(line)).toEqual([
      'Application web Current: Application runs as web-v2',
      'Deployment front Current: Deployment is available. Replicas: 3',
      'ConfigMap settings Current: Resource is always ready',
    ]);
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] tells one failed object as the failure of all, with its sentence and what it generated', async () => {
    const rig = await aShop();
    const pod = {
      identifier: { group: '', kind: 'Pod', namespace: 'shop', name: 'front-1' },
      status: 'Failed',
      message: 'Containers in CrashLoop state: web',
      generated: [],
    } as const;
    rig.statuses.tell(FRONT, 'Failed', { message: '1 pod has failed', below: [pod] });
    const body = (await (await rig.send(OF_WEB)).json()) as StatusesBody;
    expect(body).toMatchObject({ status: 'Failed', message: 'Deployment front: 1 pod has failed' });
    expect(body.objects[1]?.generated.map(line)).toEqual(['Pod front-1 Failed: Containers in CrashLoop state: web']);
  });

  it('[issue 9.1] tells the application as failed where an object of it is, in the list as in sum, with the sentence of that object', async () => {
    const rig = await aShop();
    rig.statuses.tell(APPLICATION, 'InProgress', { message: 'the rollout to web-v2 is under way', resource: anObserved() });
    const why = '2 pods have failed: Containers in CrashLoop state: web';
    rig.statuses.tell(FRONT, 'Failed', { message: why, resource: asObject(FRONT) });
    const body = (await (await rig.send(OF_WEB)).json()) as StatusesBody;
    expect([body.status, body.message]).toEqual(['Failed', `Deployment front: ${why}`]);
    expect(body.objects.map(line)).toEqual([
      `Application web Failed: Deployment front: ${why}`,
      `Deployment front Failed: ${why}`,
      'ConfigMap settings Current: Resource is always ready',
    ]);
  });

  it('[issue 9.1] tells what an object waits for rather than that the application does, and of one that runs what it runs as', async () => {
    const rig = await aShop();
    const read = async () => (await (await rig.send(OF_WEB)).json()) as StatusesBody;
    expect(await read()).toMatchObject({ status: 'Current', message: 'Application runs as web-v2' });
    rig.statuses.tell(APPLICATION, 'InProgress', { message: 'Deployment front: Available: 1/3', resource: anObserved() });
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 1/3', resource: asObject(FRONT) });
    expect(await read()).toMatchObject({ status: 'InProgress', message: 'Deployment front: Available: 1/3' });
    rig.statuses.tell(APPLICATION, 'Failed', { message: 'Secret front may not be written', resource: anObserved() });
    expect(await read()).toMatchObject({ status: 'Failed', message: 'Secret front may not be written' });
  });

  it('[issue 9] names for each object the rule that gave it, how it is known, and how old that is', async () => {
    const rig = await aShop();
    const polled = { source: 'poll', at: toInstant(rig.clock.now() - 8000) } as const;
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 2/3', rule: 'kstatus', sight: polled });
    const body = (await (await rig.send(OF_WEB)).json()) as StatusesBody;
    expect(body.objects.map(({ kind, rule, source, ageSeconds }) => ({ kind, rule, source, ageSeconds }))).toEqual([
      { kind: 'Application', rule: null, source: 'watch', ageSeconds: 0 },
      { kind: 'Deployment', rule: 'kstatus', source: 'poll', ageSeconds: 8 },
      { kind: 'ConfigMap', rule: null, source: 'watch', ageSeconds: 0 },
    ]);
    await rig.clock.advance(2000);
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    rig.statuses.tell(FRONT, 'Current', { rule: 'kstatus' });
    expect(await events.next()).toMatchObject({ event: 'change', data: { object: { rule: 'kstatus', source: 'poll', ageSeconds: 10 } } });
    await events.cancel();
  });

  it('[issue 9] of one that does not exist is not found, and a wait for it is told so at once', async () => {
    const rig = await createApiRig({ objects: [] }, {});
    for (const query of ['', '?watch', '?for=current']) {
      const answer = await rig.send(`${OF_WEB}${query}`);
      expect(answer.status).toBe(404);
    }
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] one that was just made is waited for, although the copies do not hold it yet', async () => {
    const rig = await createApiRig({ objects: [anObserved()] });
    const answering = rig.send(`${OF_WEB}?for=current`);
    await rig.clock.settle();
    rig.statuses.tell(APPLICATION, 'Current', { resource: anObserved() });
    expect((await answering).status).toBe(200);
  });

  it.each([
    ['a time that is none', '?for=current&timeout=soon', 'timeout must be a duration of at most 1h such as 90s or 5m, found "soon"'],
    ['a time of days', '?for=current&timeout=2d', 'timeout must be a duration of at most 1h'],
    ['a state nobody waits for', '?for=failed', 'for needs current or deleted, found "failed"'],
    ['a switch that is none', '?watch=perhaps', 'the query does not fit: watch must be true or false, found "perhaps"'],
    ['a word it does not know', '?until=current', 'until'],
  ])('[issue 9] refuses %s', async (_what, query, sentence) => {
    const rig = await aShop();
    const answer = await rig.send(`${OF_WEB}${query}`);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as ErrorBody).error.message).toContain(sentence);
  });
});

describe('a wait', () => {
  it('[issue 9] answers 200 once all is current', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 1/3' });
    const answering = rig.send(`${OF_WEB}?for=current`);
    await rig.clock.advance(60_000);
    rig.statuses.tell(FRONT, 'Current', { message: 'Deployment is available. Replicas: 3' });
    const answer = await answering;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ outcome: 'reached', status: 'Current' });
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] answers 409 with the sentence once an object failed', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 1/3' });
    const answering = rig.send(`${OF_WEB}?for=current`);
    await rig.clock.settle();
    rig.statuses.tell(FRONT, 'Failed', { message: 'Progress deadline exceeded' });
    const answer = await answering;
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      outcome: 'failed',
      status: 'Failed',
      message: 'Deployment front: Progress deadline exceeded',
    });
  });

  it('[issue 9] answers 408 with what is so then when the time is over', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 1/3' });
    let answer: Response | undefined;
    void rig.send(`${OF_WEB}?for=current&timeout=2m`).then((given) => {
      answer = given;
    });
    await rig.clock.advance(119_999);
    expect(answer).toBeUndefined();
    await rig.clock.advance(1);
    expect(answer?.status).toBe(408);
    expect(await answer?.json()).toMatchObject({ outcome: 'timeout', status: 'InProgress', message: 'Deployment front: Available: 1/3' });
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] for deleted ends when everything is gone, and a failed object on its way out fails nothing', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'Failed', { message: '1 pod has failed', resource: asObject(FRONT) });
    const answering = rig.send(`${OF_WEB}?for=deleted`);
    await rig.clock.advance(1000);
    rig.cluster.objects.clear();
    rig.statuses.list('shop/web', []);
    await rig.clock.advance(100);
    rig.statuses.tell(APPLICATION, 'NotFound');
    const answer = await answering;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ outcome: 'reached', status: 'NotFound' });
  });

  it('[issue 9] is not answered by copies that are behind: the generation that the cluster holds must be the one that was judged', async () => {
    const rig = await aShop({ objects: [anObserved(3)] });
    let answer: Response | undefined;
    void rig.send(`${OF_WEB}?for=current`).then((given) => {
      answer = given;
    });
    await rig.clock.advance(5000);
    expect(answer).toBeUndefined();
    rig.statuses.tell(APPLICATION, 'Current', { resource: anObserved(3) });
    await rig.clock.advance(1000);
    expect(answer?.status).toBe(200);
  });

  it('[issue 9.1] is not answered by a copy of what has failed since, though its generation is the same', async () => {
    const rig = await aShop({ objects: [anObserved(3)] });
    const { metadata, ...former } = anObserved(3);
    rig.statuses.tell(APPLICATION, 'Current', { resource: { ...former, metadata: { ...metadata, resourceVersion: '1' } } });
    rig.statuses.evaluateInCluster('Application', 'Failed');
    let answer: Response | undefined;
    void rig.send(`${OF_WEB}?for=current`).then((given) => {
      answer = given;
    });
    await rig.clock.advance(5000);
    expect(answer).toBeUndefined();
    rig.statuses.evaluateInCluster('Application', undefined);
    await rig.clock.advance(1000);
    expect(answer?.status).toBe(200);
  });

  it('[issue 9] does not fail by what runs of the former spec while the engine has not taken the present one up', async () => {
    const rig = await aShop({ objects: [anObserved(3)] });
    rig.statuses.tell(APPLICATION, 'InProgress', {
      message: 'Application generation is 3, but latest observed generation is 2',
      resource: anObserved(3, 2),
    });
    rig.statuses.tell(FRONT, 'Failed', { message: '1 pod has failed' });
    let answer: Response | undefined;
    void rig.send(`${OF_WEB}?for=current`).then((given) => {
      answer = given;
    });
    await rig.clock.advance(5000);
    expect(answer).toBeUndefined();
    rig.statuses.tell(FRONT, 'Current');
    rig.statuses.tell(APPLICATION, 'Current', { resource: anObserved(3) });
    await rig.clock.advance(1000);
    expect(answer?.status).toBe(200);
  });

  it('[issue 9] shares what it follows with every other wait for the same application', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress');
    const waits = Array.from({ length: 200 }, () => rig.send(`${OF_WEB}?for=current`));
    await rig.clock.settle();
    expect(rig.statuses.open()).toBe(1);
    rig.statuses.tell(FRONT, 'Current');
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(waits.map(() => 200));
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] counts against what one person may hold', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress');
    const leaving = new AbortController();
    const waits = Array.from({ length: 256 }, () => rig.send(`${OF_WEB}?for=current`, { signal: leaving.signal }));
    await rig.clock.settle();
    const refused = await rig.send(OF_WEB);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('operator already follows 256 statuses, which is the limit for one person');
    leaving.abort();
    await Promise.allSettled(waits);
    await rig.clock.settle();
    expect((await rig.send(OF_WEB)).status).toBe(200);
    expect(rig.statuses.open()).toBe(0);
  });
});
