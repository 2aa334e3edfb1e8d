import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { of, refusal, rendered, web } from './rendered';

const trait = (type: string, properties: object) => ({ type, properties });

describe('how a component is reached', () => {
  const gateway = (properties: object, kind = 'Ingress', traits: readonly object[] = []) =>
    of(web({}, [...traits, trait('gateway', properties)]), kind);

  it('[design 12] by an Ingress, with what was written and no more', () => {
    expect(gateway({ http: { '/': 80 } })).toMatchObject({
      metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'nginx' } },
      spec: {
        rules: [
          {
            http: {
              paths: [{ path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 'web', port: { number: 80 } } } }],
            },
          },
        ],
      },
    });
    expect(gateway({ http: { '/': 80 } })?.spec).toEqual({ rules: [{ http: { paths: expect.anything() } }] });
    const whole = {
      http: { '/': 80 },
      domain: 'a.example',
      class: 'haproxy',
      classInSpec: true,
      secretName: 'tls',
      gatewayHost: 'g',
      name: 'out',
      annotations: { n: '1' },
      labels: { l: '1' },
      existingServiceName: 'theirs',
      pathType: 'Exact',
    };
    const ingress = gateway(whole);
    expect(ingress).toMatchObject({
      metadata: { name: 'web-out', annotations: { 'ingress.controller/host': 'g', n: '1' }, labels: { l: '1' } },
      spec: {
        ingressClassName: 'haproxy',
        tls: [{ hosts: ['a.example'], secretName: 'tls' }],
        rules: [{ host: 'a.example', http: { paths: [{ pathType: 'Exact', backend: { service: { name: 'theirs' } } }] } }],
      },
    });
    expect(ingress?.metadata.annotations).not.toHaveProperty(['kubernetes.io/ingress.class']);
    expect(of(web({}, [trait('gateway', whole)]), 'Service')).toBeUndefined();
    expect(gateway({ http: { '/': 80 }, secretName: 'tls' })?.spec).toHaveProperty('tls', [{ secretName: 'tls' }]);
  });

  it('[design 12] by a route of a Gateway, which has its own certificates', () => {
    const route = (more: object = {}) =>
      gateway({ http: { '/': 80 }, gatewayRef: { name: 'g', namespace: 'infra', sectionName: 'web' }, ...more }, 'HTTPRoute');
    expect(route()?.spec).toEqual({
      parentRefs: [{ name: 'g', namespace: 'infra', sectionName: 'web' }],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ name: 'web', port: 80 }] }],
    });
    expect(route({ pathType: 'Exact', domain: 'a.example', existingServiceName: 'theirs' })?.spec).toMatchObject({
      hostnames: ['a.example'],
      rules: [{ matches: [{ path: { type: 'Exact' } }], backendRefs: [{ name: 'theirs' }] }],
    });
    for (const member of ['secretName', 'gatewayHost']) expect(refusal(() => route({ [member]: 'x' }))).toContain('is for an Ingress');
    expect(refusal(() => gateway({ http: {} }))).toContain('must have at least one path with its port, found none');
    expect(refusal(() => gateway({ http: { a: 80 } }))).toContain('must be paths that begin with a slash');
  });

  it('[design 12] by a Service of every port that is asked for, each once', () => {
    const ports = (properties: object, traits: readonly object[]) => readField(of(web(properties, traits), 'Service'), 'spec', 'ports');
    const exposed = {
      ports: [
        { port: 80, expose: true },
        { port: 53, protocol: 'UDP', expose: true },
      ],
    };
    expect(ports(exposed, [trait('gateway', { http: { '/': 80, '/a': 53, '/b': 9, '/c': 9 } })])).toEqual([
      { name: 'port-80', port: 80, targetPort: 80 },
      { name: 'port-53', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'port-53', port: 53, targetPort: 53 },
      { name: 'port-9', port: 9, targetPort: 9 },
    ]);
    expect(ports({}, [trait('gateway', { http: { '/': 80 } })])).toEqual([{ name: 'port-80', port: 80, targetPort: 80 }]);
    expect(ports(exposed, [trait('expose', { ports: [{ port: 80, name: 'again' }, { port: 53 }] })])).toEqual([
      { name: 'port-53', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'again', port: 80, targetPort: 80 },
      { name: 'port-53', port: 53, targetPort: 53 },
    ]);
  });

  it('[design 12] by a Service as its expose trait says', () => {
    const service = (properties: object) => of(web({}, [trait('expose', properties)]), 'Service');
    expect(service({ port: [80, 81] })?.spec).toEqual({
      type: 'ClusterIP',
      selector: { 'app.oam.dev/component': 'web' },
      ports: [
        { name: 'port-80', port: 80, targetPort: 80 },
        { name: 'port-81', port: 81, targetPort: 81 },
      ],
    });
    const node = {
      ports: [
        { port: 80, nodePort: 30_080 },
        { port: 81, protocol: 'SCTP' },
      ],
      annotations: { n: '1' },
      matchLabels: { mine: 'yes' },
    };
    expect(service({ ...node, type: 'NodePort' })).toMatchObject({
      metadata: { annotations: { n: '1' } },
      spec: {
        type: 'NodePort',
        selector: { mine: 'yes' },
        ports: [
          { port: 80, nodePort: 30_080 },
          { name: 'port-81-sctp', protocol: 'SCTP' },
        ],
      },
    });
    expect(JSON.stringify(service(node))).not.toContain('30080');
    expect(JSON.stringify(service({ ports: [{ port: 80 }], type: 'NodePort' }))).not.toContain('nodePort');
    for (const properties of [{}, { port: [] }, { ports: [] }])
      expect(refusal(() => service(properties))).toContain('must have port or ports, found neither');
  });
});

describe('how a component scales', () => {
  it('[design 12] by the cluster, between two bounds and by what is measured', () => {
    const hpa = (properties: object) => of(web({}, [trait('hpa', properties)]), 'HorizontalPodAutoscaler');
    const cpu = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } });
    const half = { type: 'Utilization', averageUtilization: 50 };
    expect(hpa({})).toMatchObject({ metadata: { name: 'web', namespace: 'shop' } });
    expect(hpa({})?.spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [cpu(half)],
      minReplicas: 1,
      maxReplicas: 10,
    });
    expect(
      hpa({ min: 3, max: 3, cpu: { type: 'AverageValue', value: 7 }, mem: {}, podCustomMetrics: [{ name: 'q', value: '5' }] })?.spec,
    ).toMatchObject({
      ...{ minReplicas: 3, maxReplicas: 3 },
      metrics: [
        cpu({ type: 'AverageValue', averageValue: '7' }),
        { type: 'Resource', resource: { name: 'memory', target: half } },
        { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
      ],
    });
    expect(refusal(() => hpa({ min: 4, max: 3 }))).toContain('properties.max must be at least min (4), found 3');
    const other = 'properties.targetKind must be Deployment of apps/v1, which the component is, found ';
    expect(refusal(() => hpa({ targetKind: 'StatefulSet' }))).toContain(`${other}StatefulSet of apps/v1`);
    expect(refusal(() => hpa({ targetAPIVersion: 'apps/v2' }))).toContain(`${other}Deployment of apps/v2`);
    expect(
      refusal(() =>
        rendered('k8s-objects', { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] }, [trait('hpa', {})]),
      ),
    ).toContain('the component has none');
  });

  it('[design 12] to so many replicas, or as nobody says', () => {
    expect(of(web({}, [trait('scaler', { replicas: 3 })]), 'Deployment')?.spec).toHaveProperty('replicas', 3);
    expect(of(web({}, [trait('scaler', {})]), 'Deployment')?.spec).toHaveProperty('replicas', 1);
    expect(of(web(), 'Deployment')?.spec).not.toHaveProperty('replicas');
  });

  it('[design 12] with resources for all containers, or each kind of them', () => {
    const resources = (properties: object) =>
      readField(of(web({}, [trait('resource', properties)]), 'Deployment'), 'spec', 'template', 'spec', 'containers', 0, 'resources');
    expect(resources({ cpu: 2, memory: '1Gi' })).toEqual({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } });
    expect(resources({ limits: { cpu: '2' } })).toEqual({ limits: { cpu: '2', memory: '2048Mi' } });
    expect(resources({ requests: {} })).toEqual({ requests: { cpu: '1', memory: '2048Mi' } });
    for (const member of ['requests', 'limits']) expect(refusal(() => resources({ cpu: '1', [member]: {} }))).not.toBe('it was accepted');
    for (const memory of ['0Gi', '1Gigs', 'x1Gi', '1', '12'])
      expect(
        refusal(() => resources({ memory })),
        memory,
      ).toContain('must be an amount such as 512Mi or 2Gi');
    expect(resources({ memory: '123Mi' })).toMatchObject({ limits: { memory: '123Mi' } });
  });
});
