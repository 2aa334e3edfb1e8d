import { describe, expect, it } from 'vitest';
import { isAppError, messageOf } from '@/lib/contract/app-error';
import { readField, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { parseApplication, render } from '@/server/application';
import { withFirstScale } from '@/server/application/render/staged';

const rendered = (component: object, policies: object[] = []) =>
  render(
    parseApplication({
      ...KINDS.application,
      metadata: { name: 'shopfront', namespace: 'shop', uid: 'u1' },
      spec: { components: [component], policies },
    }),
    'shopfront-v3',
    { revisionHash: 'h' },
  );
const one = (component: object, kind: string, policies: object[] = []) =>
  rendered(component, policies).manifests.find((object) => object.kind === kind);
const web = (traits: object[], properties: object = {}) => ({
  name: 'web',
  type: 'webservice',
  properties: { image: 'web:1', ...properties },
  traits,
});
const task = (properties: object = {}, traits: object[] = []) => ({
  name: 'seed',
  type: 'task',
  properties: { image: 'seed:1', ...properties },
  traits,
});
const cronTask = (properties: object = {}) => ({
  name: 'nightly',
  type: 'cron-task',
  properties: { image: 'job:1', schedule: '0 3 * * *', ...properties },
});
const containerOf = (object: unknown) => readFields(object, 'spec', 'template', 'spec', 'containers', 0);
const refusal = (component: object, policies: object[] = []): string => {
  try {
    rendered(component, policies);
  } catch (error) {
    if (isAppError(error)) return messageOf(error);
    throw error;
  }
  return 'it was accepted';
};

describe('a task', () => {
  it('[design 3] is a Job with the parameters of the original', () => {
    const job = one(
      task({
        count: 3,
        restart: 'OnFailure',
        cmd: ['fill'],
        cpu: '1',
        labels: { tier: 'batch' },
        volumes: [
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'data', mountPath: '/data', type: 'pvc', claimName: 'claim' },
        ],
      }),
      'Job',
    );
    expect(job?.spec).toMatchObject({
      parallelism: 3,
      completions: 3,
      template: { metadata: { labels: { tier: 'batch', 'app.oam.dev/component': 'seed' } } },
    });
    expect(readField(job, 'spec', 'template', 'spec')).toEqual({
      restartPolicy: 'OnFailure',
      containers: [
        {
          name: 'seed',
          image: 'seed:1',
          command: ['fill'],
          resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
          volumeMounts: [
            { name: 'tmp', mountPath: '/tmp' },
            { name: 'data', mountPath: '/data' },
          ],
        },
      ],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'claim' } },
      ],
    });
  });

  it('[design 3] is named by what it runs, since a Job cannot be changed: traits count, what is outside the Job does not', () => {
    const name = (component: object) => one(component, 'Job')?.metadata.name;
    expect(name(task())).toMatch(/^seed-[0-9a-f]{8}$/);
    expect(name(task())).toBe(name(task({}, [])));
    expect(name(task({ image: 'seed:2' }))).not.toBe(name(task()));
    expect(name(task({}, [{ type: 'env', properties: { env: { A: 'b' } } }]))).not.toBe(name(task()));
    expect(rendered(task()).workloads.seed?.name).toBe(name(task()));
    expect((name({ ...task(), name: 'n'.repeat(63) }) ?? '').length).toBe(63);
  });
});

describe('a cron-task', () => {
  it('[design 3] is a CronJob with the defaults of the original', () => {
    expect(one(cronTask(), 'CronJob')?.spec).toMatchObject({
      schedule: '0 3 * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } } } },
    });
  });

  it('[design 3] takes its limits, and traits reach the pods of its jobs', () => {
    const traits = [
      { type: 'labels', properties: { tier: 'batch' } },
      { type: 'resource', properties: { cpu: 0.5, memory: '64Mi' } },
    ];
    const cron = one(
      { ...cronTask({ concurrencyPolicy: 'Forbid', ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 90 }), traits },
      'CronJob',
    );
    const jobSpec = readFields(cron, 'spec', 'jobTemplate', 'spec');
    expect(jobSpec).toMatchObject({ ttlSecondsAfterFinished: 60, activeDeadlineSeconds: 90 });
    expect(readField(jobSpec, 'template', 'metadata', 'labels')).toMatchObject({ tier: 'batch' });
    expect(containerOf(jobSpec.template === undefined ? {} : { spec: jobSpec }).resources).toEqual({
      requests: { cpu: '0.5', memory: '64Mi' },
      limits: { cpu: '0.5', memory: '64Mi' },
    });
  });
});

describe('hpa', () => {
  it('[design 3] scales the workload by cpu, memory and metrics of its pods, and leaves replicas to itself', () => {
    const component = web([
      {
        type: 'hpa',
        properties: { min: 2, max: 5, mem: { type: 'AverageValue', value: 100 }, podCustomMetrics: [{ name: 'rps', value: '10' }] },
      },
    ]);
    expect(one(component, 'HorizontalPodAutoscaler')?.spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100' } } },
        { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } } },
      ],
    });
    expect(readField(one(component, 'Deployment'), 'spec', 'replicas')).toBeUndefined();
    expect(one(component, 'HorizontalPodAutoscaler')?.metadata.labels).toMatchObject({
      'app.oam.dev/resourceType': 'TRAIT',
      'trait.oam.dev/type': 'hpa',
    });
  });

  it('[design 13 R] under a rollout scales the workload of its revision, and leaves the bounds to the rollout', () => {
    const component = web([{ type: 'hpa', properties: { min: 2, max: 5 } }]);
    const hpa = one(component, 'HorizontalPodAutoscaler', [{ type: 'rollout' }]);
    expect(hpa?.metadata).toMatchObject({
      name: 'web-v3',
      labels: { 'serving.knative.dev/revision': 'web-v3', 'app.oam.dev/component': 'web', 'trait.oam.dev/type': 'hpa' },
      annotations: { 'autoscaling.knative.dev/min-scale': '2', 'autoscaling.knative.dev/max-scale': '5' },
    });
    expect(hpa?.spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-v3' },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    });
    const workload = one(component, 'Deployment', [{ type: 'rollout' }]);
    expect(workload?.metadata.annotations).toMatchObject({
      'autoscaling.knative.dev/min-scale': '2',
      'autoscaling.knative.dev/max-scale': '5',
    });
    expect(readField(workload, 'spec', 'replicas')).toBeUndefined();
  });

  it('[design 13 R] says its bounds in the first write alone', () => {
    const hpa = one(web([{ type: 'hpa', properties: { min: 2, max: 5 } }]), 'HorizontalPodAutoscaler', [{ type: 'rollout' }]);
    expect(hpa && readFields(withFirstScale(hpa), 'spec')).toMatchObject({ minReplicas: 2, maxReplicas: 5 });
  });
});

describe('gateway', () => {
  const http = { '/': 8080, '/api': 9090 };

  it('[design 3] is an Ingress to the Service of the component, which gets the ports', () => {
    const component = web([
      {
        type: 'gateway',
        properties: { domain: 'shop.example.com', http, class: 'traefik', classInSpec: true, secretName: 'cert', pathType: 'Prefix' },
      },
    ]);
    const backend = (number: number) => ({ service: { name: 'web', port: { number } } });
    expect(one(component, 'Ingress')?.spec).toEqual({
      ingressClassName: 'traefik',
      tls: [{ hosts: ['shop.example.com'], secretName: 'cert' }],
      rules: [
        {
          host: 'shop.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: backend(8080) },
              { path: '/api', pathType: 'Prefix', backend: backend(9090) },
            ],
          },
        },
      ],
    });
    expect(readField(one(component, 'Service'), 'spec', 'ports')).toEqual([
      { name: 'port-8080', port: 8080, targetPort: 8080 },
      { name: 'port-9090', port: 9090, targetPort: 9090 },
    ]);
    expect(one(component, 'Service')?.metadata.labels).toMatchObject({ 'trait.oam.dev/type': 'gateway' });
  });

  it('[design 3] serves ports that the component exposes already only once, and leaves an existing Service alone', () => {
    const exposed = web([{ type: 'gateway', properties: { http } }], { ports: [{ port: 8080, expose: true }] });
    expect(readField(one(exposed, 'Service'), 'spec', 'ports')).toHaveLength(2);
    expect(one(exposed, 'Service')?.metadata.labels).toMatchObject({ 'app.oam.dev/resourceType': 'WORKLOAD' });
    const foreign = web([{ type: 'gateway', properties: { http, existingServiceName: 'front', name: 'public' } }]);
    expect(one(foreign, 'Service')).toBeUndefined();
    expect(one(foreign, 'Ingress')?.metadata).toMatchObject({
      name: 'web-public',
      annotations: { 'kubernetes.io/ingress.class': 'nginx' },
    });
  });

  it('[design 3] is an HTTPRoute where it names a Gateway', () => {
    const component = web([
      {
        type: 'gateway',
        properties: { domain: 'shop.example.com', http: { '/': 8080 }, gatewayRef: { name: 'edge', namespace: 'infra' } },
      },
    ]);
    expect(one(component, 'Ingress')).toBeUndefined();
    expect(one(component, 'HTTPRoute')?.spec).toEqual({
      parentRefs: [{ name: 'edge', namespace: 'infra' }],
      hostnames: ['shop.example.com'],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ name: 'web', port: 8080 }] }],
    });
  });
});

describe('env and resource', () => {
  const variables = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ];
  it.each<[string, object, unknown]>([
    [
      'adds and overrides',
      { env: { A: '9', C: '3' } },
      [
        { name: 'A', value: '9' },
        { name: 'B', value: '2' },
        { name: 'C', value: '3' },
      ],
    ],
    ['unsets', { unset: ['A', 'C'], env: { C: '3' } }, [{ name: 'B', value: '2' }]],
    ['replaces', { replace: true, env: { C: '3' } }, [{ name: 'C', value: '3' }]],
    [
      'names containers',
      { containers: [{ containerName: 'web', env: { B: '7' } }] },
      [
        { name: 'A', value: '1' },
        { name: 'B', value: '7' },
      ],
    ],
  ])('[design 3] env %s', (_title, properties, expected) => {
    expect(containerOf(one(web([{ type: 'env', properties }], { env: variables }), 'Deployment')).env).toEqual(expected);
  });

  it.each<[string, object, unknown]>([
    ['both alike', { cpu: '0.5', memory: '64Mi' }, { requests: { cpu: '0.5', memory: '64Mi' }, limits: { cpu: '0.5', memory: '64Mi' } }],
    ['requests alone', { requests: { cpu: 2 } }, { requests: { cpu: '2', memory: '2048Mi' }, limits: { cpu: '9' } }],
  ])('[design 3] resource sets %s', (_title, properties, expected) => {
    const component = web([{ type: 'resource', properties }], { cpu: '9' });
    expect(containerOf(one(component, 'Deployment')).resources).toEqual(expected);
  });
});

describe('what is refused', () => {
  const at = 'Application shopfront in shop: spec.components[0]';
  const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }];
  it.each<[string, object, string]>([
    ['an unknown member of a task', task({ retries: 3 }), `${at}.properties has "retries", which is unknown here; a task has`],
    ['a task without an image', { name: 'seed', type: 'task' }, `${at}.properties.image must be a string, found nothing`],
    ['a cron-task without a schedule', { ...task(), type: 'cron-task' }, `${at}.properties.schedule must be a string, found nothing`],
    [
      'a restart that jobs do not know',
      task({ restart: 'Always' }),
      `${at}.properties.restart must be "Never" or "OnFailure", found "Always"`,
    ],
    [
      'a scaler on a task',
      task({}, [{ type: 'scaler' }]),
      `${at}.traits[0].properties scales a workload with replicas; how often a task runs is its count`,
    ],
    [
      'an hpa on a task',
      task({}, [{ type: 'hpa' }]),
      `${at}.traits[0].properties scales a workload with replicas, but the component has none`,
    ],
    [
      'hpa beside scaler',
      web([{ type: 'scaler' }, { type: 'hpa' }]),
      `${at}.traits[1].properties must be the only one to scale the component, found a scaler`,
    ],
    [
      'scaler beside hpa',
      web([{ type: 'hpa' }, { type: 'scaler' }]),
      `${at}.traits[1].properties must be the only one to scale the component, found an hpa`,
    ],
    [
      'bounds that are none',
      web([{ type: 'hpa', properties: { min: 4, max: 2 } }]),
      `${at}.traits[0].properties.max must be at least min (4), found 2`,
    ],
    [
      'an unknown member of an hpa',
      web([{ type: 'hpa', properties: { cpuPercent: 4 } }]),
      `${at}.traits[0].properties has "cpuPercent", which is unknown here; an hpa has min,`,
    ],
    [
      'a gateway without paths',
      web([{ type: 'gateway', properties: { http: {} } }]),
      `${at}.traits[0].properties.http must have at least one path with its port, found none`,
    ],
    [
      'a certificate for a Gateway',
      web([{ type: 'gateway', properties: { http: { '/': 80 }, gatewayRef: { name: 'g' }, secretName: 's' } }]),
      `${at}.traits[0].properties.secretName is for an Ingress`,
    ],
    [
      'a container that is not there',
      web([{ type: 'env', properties: { containerName: 'side' } }]),
      `${at}.traits[0].properties.containerName must name a container of the component, found "side"`,
    ],
    [
      'an amount that is none',
      web([{ type: 'resource', properties: { memory: 'much' } }]),
      `${at}.traits[0].properties.memory must be an amount such as 512Mi or 2Gi, found "much"`,
    ],
    [
      'env without containers',
      { name: 'set', type: 'k8s-objects', properties: { objects }, traits: [{ type: 'env', properties: { env: { A: 'b' } } }] },
      `${at}.traits[0].properties changes the containers of a workload, but the component has none`,
    ],
  ])('[design 13 O] %s, with a sentence naming object, field, found and wanted', (_title, component, sentence) => {
    expect(refusal(component)).toContain(sentence);
  });

  it.each<[object, string]>([
    [
      { requiredSoakTime: 'soon' },
      'control.requiredSoakTime must be a duration such as 90s or 1h30m, or a number of seconds, ten years at most, found "soon"',
    ],
    [{ requiredSoakTime: -1 }, 'control.requiredSoakTime must be a duration'],
    [{ requiredSoakTime: 99_999_999_999_999 }, 'control.requiredSoakTime must be a duration'],
    [{ pause: { duration: '2500000000h' } }, 'control.pause.duration must be a duration'],
    [{ minReadySeconds: 9e15 }, 'control.minReadySeconds must be at most 315360000'],
    [
      { pause: { duration: '5 minutes' } },
      'control.pause.duration must be a duration such as 90s or 1h30m, or a number of seconds, ten years at most, found "5 minutes"',
    ],
    [{ gates: 'sometimes' }, 'control.gates must be none, every-stage, or a list of stages such as {"atPercent": 50}, found "sometimes"'],
  ])('[design 12.12] a rollout policy with %j', (control, sentence) => {
    const message = refusal(web([]), [{ type: 'rollout', properties: { control } }]);
    expect(message).toContain(`Application shopfront in shop: spec.policies[0].properties.${sentence}`);
  });

  it.each([{ requiredSoakTime: '90s' }, { requiredSoakTime: 0 }, { pause: { duration: '1h30m' } }])(
    '[design 12.12] but not one with %j',
    (control) => {
      expect(refusal(web([]), [{ type: 'rollout', properties: { control } }])).toBe('it was accepted');
    },
  );
});
