import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { of, rendered, web } from './rendered';

const pod = (object: KubeObject | undefined) => readField(object, 'spec', 'template', 'spec');
const container = (properties: object) => readField(of(web(properties), 'Deployment'), 'spec', 'template', 'spec', 'containers', 0);
describe('the container of a component', () => {
  it('[design 12] has every member as it was written, and none that was not', () => {
    expect(container({})).toEqual({ name: 'web', image: 'web:1' });
    expect(pod(of(web(), 'Deployment'))).toEqual({ containers: [{ name: 'web', image: 'web:1' }] });
    const probe = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };
    const whole = {
      ...{ imagePullPolicy: 'Always', cmd: ['run'], args: ['-x'], cpu: '1', memory: '2Gi' },
      env: [
        { name: 'A', value: 'a', sensitive: false },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
      ],
      livenessProbe: { exec: { command: ['true'] } },
      readinessProbe: { httpGet: { path: '/', port: 80, host: 'h', scheme: 'HTTP', httpHeaders: [{ name: 'a', value: 'b' }] } },
    };
    expect(container(whole)).toEqual({
      ...{ name: 'web', image: 'web:1', imagePullPolicy: 'Always', command: ['run'], args: ['-x'] },
      env: [{ name: 'A', value: 'a' }, ...whole.env.slice(1)],
      resources: { limits: { cpu: '1', memory: '2Gi' }, requests: { cpu: '1', memory: '2Gi' } },
      livenessProbe: { exec: { command: ['true'] }, ...probe },
      readinessProbe: { ...whole.readinessProbe, ...probe },
    });
    expect(container({ livenessProbe: { tcpSocket: { port: 1 } } })).toMatchObject({ livenessProbe: { tcpSocket: { port: 1 } } });
    const job = readField(of(rendered('worker', { image: 'job:1' }), 'Deployment'), 'spec', 'template', 'spec', 'containers', 0);
    expect(job, 'a worker listens nowhere').toEqual({ name: 'web', image: 'job:1' });
    expect(container({ cpu: '1' })).toHaveProperty('resources', { limits: { cpu: '1' }, requests: { cpu: '1' } });
    expect(container({ memory: '1Gi' })).toHaveProperty('resources.limits', { memory: '1Gi' });
    const hosts = {
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }],
      imagePullSecrets: ['pull'],
      labels: { l: '1' },
      annotations: { n: '1' },
    };
    const template = readField(of(web(hosts), 'Deployment'), 'spec', 'template');
    expect(template).toMatchObject({
      metadata: { labels: { l: '1' }, annotations: { n: '1' } },
      spec: { hostAliases: hosts.hostAliases, imagePullSecrets: [{ name: 'pull' }] },
    });
  });

  it('[issue 10.7] is of pods that its Deployment alone selects: of one revision while that is rolled out, else of the component', () => {
    const selectorOf = (policies: readonly object[]) =>
      readField(of(rendered('webservice', { image: 'web:1' }, [], policies), 'Deployment'), 'spec', 'selector', 'matchLabels');
    const component = { 'app.oam.dev/component': 'web' };
    expect(selectorOf([])).toEqual(component);
    expect(selectorOf([{ type: 'rollout', properties: {} }])).toEqual({ ...component, 'serving.knative.dev/revision': 'web-v3' });
  });

  it('[design 12] mounts each volume where it is wanted, one of a name once', () => {
    const volumeMounts = {
      pvc: [{ name: 'p', mountPath: '/p', claimName: 'claim' }],
      configMap: [
        { name: 'c', mountPath: '/c', cmName: 'map', items: [{ key: 'k', path: 'f' }] },
        { name: 'c', mountPath: '/c2', cmName: 'map', subPath: 'sub' },
      ],
      secret: [
        { name: 's', mountPath: '/s', secretName: 'secret', items: [{ key: 'k', path: 'f', mode: 256 }] },
        { name: 's2', mountPath: '/s2', secretName: 'secret' },
      ],
      emptyDir: [
        { name: 'e', mountPath: '/e' },
        { name: 'm', mountPath: '/m', medium: 'Memory' },
      ],
      hostPath: [{ name: 'h', mountPath: '/h', path: '/var' }],
    };
    expect(pod(of(web({ volumeMounts }), 'Deployment'))).toEqual({
      containers: [
        {
          ...{ name: 'web', image: 'web:1' },
          volumeMounts: [
            ...[
              { name: 'p', mountPath: '/p' },
              { name: 'c', mountPath: '/c' },
              { name: 'c', mountPath: '/c2', subPath: 'sub' },
            ],
            ...[
              { name: 's', mountPath: '/s' },
              { name: 's2', mountPath: '/s2' },
              { name: 'e', mountPath: '/e' },
              { name: 'm', mountPath: '/m' },
              { name: 'h', mountPath: '/h' },
            ],
          ],
        },
      ],
      volumes: [
        { name: 'p', persistentVolumeClaim: { claimName: 'claim' } },
        { name: 'c', configMap: { name: 'map', defaultMode: 420, items: [{ key: 'k', path: 'f', mode: 511 }] } },
        { name: 's', secret: { secretName: 'secret', defaultMode: 420, items: [{ key: 'k', path: 'f', mode: 256 }] } },
        { name: 's2', secret: { secretName: 'secret', defaultMode: 420 } },
        { name: 'e', emptyDir: {} },
        { name: 'm', emptyDir: { medium: 'Memory' } },
        { name: 'h', hostPath: { path: '/var' } },
      ],
    });
  });

  it.each<[string, object, object]>([
    ['its port, without a service', { port: 80 }, { ports: [{ containerPort: 80 }] }],
    [
      'named ports',
      {
        ports: [
          { port: 80, name: 'http' },
          { port: 53, protocol: 'UDP' },
        ],
      },
      {
        ports: [
          { containerPort: 80, protocol: 'TCP', name: 'http' },
          { containerPort: 53, protocol: 'UDP', name: 'port-53' },
        ],
      },
    ],
  ])('[design 12] has %s', (_what, properties, expected) => {
    expect(container(properties)).toMatchObject(expected);
    expect(of(web(properties), 'Service')).toBeUndefined();
  });

  it('[design 12] is served where a port is exposed, and labelled by its revision where that is asked for', () => {
    const ports = [
      { port: 80, expose: true },
      { port: 53, name: 'dns', protocol: 'UDP', expose: true },
      { port: 9, expose: false },
    ];
    expect(of(web({ ports, exposeType: 'NodePort' }), 'Service')?.spec).toEqual({
      type: 'NodePort',
      selector: { 'app.oam.dev/component': 'web' },
      ports: [
        { name: 'port-80', port: 80, targetPort: 80 },
        { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
      ],
    });
    const labels = (properties: object) => readField(of(web(properties), 'Deployment'), 'spec', 'template', 'metadata', 'labels');
    expect(labels({ addRevisionLabel: true })).toMatchObject({ 'app.oam.dev/revision': 'shopfront-v3' });
    expect(JSON.stringify(labels({}))).not.toContain('shopfront-v3');
    expect(of(rendered('worker', { image: 'w' }), 'Deployment')?.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'web', image: 'w' }] } },
    });
  });
});

describe('a task', () => {
  const volumes = [
    { name: 'e', mountPath: '/e' },
    { name: 'm', mountPath: '/m', medium: 'Memory' },
    { name: 'p', mountPath: '/p', type: 'pvc', claimName: 'claim' },
    { name: 'c', mountPath: '/c', type: 'configMap', cmName: 'map', items: [{ key: 'k', path: 'f' }] },
    { name: 's', mountPath: '/s', type: 'secret', secretName: 'secret' },
    { name: 't', mountPath: '/t', type: 'secret', secretName: 'other', items: [{ key: 'k', path: 'f' }] },
    { name: 'd', mountPath: '/d', type: 'configMap', cmName: 'bare' },
  ];

  it('[design 12] runs once, with its volumes, labels and annotations', () => {
    const job = of(rendered('task', { image: 't', volumes, annotations: { a: 'b' }, labels: { l: 'm' } }), 'Job');
    expect(job?.spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      template: {
        metadata: { annotations: { a: 'b' }, labels: { l: 'm', 'app.oam.dev/component': 'web' } },
        spec: {
          restartPolicy: 'Never',
          containers: [{ volumeMounts: volumes.map(({ name, mountPath }) => ({ name, mountPath })) }],
          volumes: [
            { name: 'e', emptyDir: {} },
            { name: 'm', emptyDir: { medium: 'Memory' } },
            { name: 'p', persistentVolumeClaim: { claimName: 'claim' } },
            { name: 'c', configMap: { name: 'map', defaultMode: 420, items: [{ key: 'k', path: 'f', mode: 511 }] } },
            { name: 's', secret: { secretName: 'secret', defaultMode: 420 } },
            { name: 't', secret: { secretName: 'other', defaultMode: 420, items: [{ key: 'k', path: 'f', mode: 511 }] } },
            { name: 'd', configMap: { name: 'bare', defaultMode: 420 } },
          ],
        },
      },
    });
    expect(pod(of(rendered('task', { image: 't', volumes: [] }), 'Job'))).toEqual({
      restartPolicy: 'Never',
      containers: [{ name: 'web', image: 't' }],
    });
    const bare = readField(of(rendered('task', { image: 't' }), 'Job'), 'spec', 'template', 'metadata');
    expect(bare).not.toHaveProperty('annotations');
  });

  it('[design 12] runs by its schedule, with what is said of it and what holds without a word', () => {
    const cron = (more: object) => of(rendered('cron-task', { image: 't', schedule: '0 0 * * *', ...more }), 'CronJob');
    expect(cron({})?.spec).toMatchObject({
      ...{ schedule: '0 0 * * *', suspend: false, concurrencyPolicy: 'Allow', successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      jobTemplate: { spec: { backoffLimit: 6, parallelism: 1, completions: 1 } },
    });
    for (const member of ['startingDeadlineSeconds', 'ttlSecondsAfterFinished', 'activeDeadlineSeconds'])
      expect(JSON.stringify(cron({}))).not.toContain(member);
    expect(
      cron({
        startingDeadlineSeconds: 1,
        ttlSecondsAfterFinished: 2,
        activeDeadlineSeconds: 3,
        suspend: true,
        restart: 'OnFailure',
        count: 4,
      })?.spec,
    ).toMatchObject({
      ...{ startingDeadlineSeconds: 1, suspend: true },
      jobTemplate: {
        spec: { ttlSecondsAfterFinished: 2, activeDeadlineSeconds: 3, parallelism: 4, template: { spec: { restartPolicy: 'OnFailure' } } },
      },
    });
    expect(cron({})?.metadata).toMatchObject({ name: 'web', namespace: 'shop' });
  });
});
