import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { until } from '@/test/support/until';
import { silentLog } from '../support/silent-log';

const run = promisify(execFile);
const assets = process.env.KUBEBUILDER_ASSETS;
const binary = assets ? path.join(assets, 'kubectl') : 'kubectl';

let embedded: EmbeddedCluster;
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'kubectl-'));
  embedded = await startEmbedded({ clock: realClock, random: createRandom(3), ids: systemIds, log: silentLog });
  const { kubeconfig } = await embedded.serve();
  await writeFile(path.join(dir, 'kubeconfig'), kubeconfig, { mode: 0o600 });
});

afterAll(async () => {
  await embedded[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const common = () => ['--kubeconfig', path.join(dir, 'kubeconfig'), '--cache-dir', path.join(dir, 'cache')];

/** What kubectl prints; a failure throws with what it said. */
async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run(binary, [...common(), ...args], { timeout: 120_000 });
  return stdout;
}

async function manifest(name: string, object: unknown): Promise<string> {
  const file = path.join(dir, `${name}.json`);
  await writeFile(file, JSON.stringify(object));
  return file;
}

const deployment = (name: string, image: string, more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
    ...more,
  },
});

/** What helm prints. */
async function helm(...args: string[]): Promise<string> {
  const homes = Object.fromEntries(['HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME'].map((name) => [name, path.join(dir, 'helm')]));
  const { stdout } = await run(assets ? path.join(assets, 'helm') : 'helm', ['--kubeconfig', path.join(dir, 'kubeconfig'), ...args], {
    timeout: 200_000,
    env: { ...process.env, ...homes },
  });
  return stdout;
}

/** A chart of a workload and a setting. */
async function chart(): Promise<string> {
  const root = path.join(dir, 'shop');
  await mkdir(path.join(root, 'templates'), { recursive: true });
  await writeFile(path.join(root, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
  await writeFile(path.join(root, 'values.yaml'), 'image: web:1\nextra: true\n');
  const { metadata, ...rest } = deployment('helm-web', '{{ .Values.image }}');
  await writeFile(path.join(root, 'templates', 'web.yaml'), JSON.stringify({ ...rest, metadata: { name: metadata.name } }));
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'helm-settings' }, data: { a: '1' } };
  await writeFile(path.join(root, 'templates', 'settings.yaml'), `{{ if .Values.extra }}\n${JSON.stringify(settings)}\n{{ end }}`);
  const hook = { name: 'helm-probe', annotations: { 'helm.sh/hook': 'test' } };
  const probe = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: hook,
    spec: { restartPolicy: 'Never', containers: [{ name: 'probe', image: 'probe:1' }] },
  };
  await writeFile(path.join(root, 'templates', 'probe.yaml'), JSON.stringify(probe));
  return root;
}

describe('helm on the embedded cluster', () => {
  it('[cluster V2] installs, upgrades, rolls back and uninstalls, applying on the side of the server', async () => {
    const shop = await chart();
    expect(await helm('install', 'shop', shop, '--wait', '--timeout', '150s')).toContain('STATUS: deployed');
    const seen = JSON.parse(await kubectl('get', 'deploy', 'helm-web', '-o', 'json', '--show-managed-fields'));
    expect(seen.metadata.managedFields[0]).toMatchObject({ manager: 'helm', operation: 'Apply' });
    expect(await helm('test', 'shop', '--timeout', '150s')).toMatch(/Phase: +Succeeded/);
    expect(await helm('upgrade', 'shop', shop, '--set', 'image=web:2,extra=false', '--wait', '--timeout', '150s')).toContain('REVISION: 2');
    expect(await kubectl('get', 'deploy', 'helm-web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe('web:2');
    expect(await kubectl('get', 'cm', '--field-selector', 'metadata.name=helm-settings', '-o', 'name')).toBe('');
    expect(await helm('rollback', 'shop', '1', '--wait', '--timeout', '150s')).toContain('Rollback was a success');
    expect(await kubectl('get', 'deploy', 'helm-web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe('web:1');
    expect(JSON.parse(await helm('history', 'shop', '-o', 'json')).map(({ status }: { status: string }) => status)).toEqual([
      'superseded',
      'superseded',
      'deployed',
    ]);
    expect(await helm('uninstall', 'shop', '--wait', '--timeout', '150s')).toContain('uninstalled');
    expect(await kubectl('get', 'deploy,cm', '--field-selector', 'metadata.name!=kube-root-ca.crt', '-o', 'name')).not.toContain('helm-');
  });
});

describe('kubectl on the embedded cluster', () => {
  it('[cluster V2] applies, rolls out, shows history and undoes', async () => {
    expect(await kubectl('apply', '-f', await manifest('web', deployment('web', 'web:1')))).toBe('deployment.apps/web created\n');
    expect(await kubectl('rollout', 'status', 'deploy/web', '--timeout=100s')).toContain('successfully rolled out');
    expect(await kubectl('apply', '-f', await manifest('web', deployment('web', 'web:2')))).toBe('deployment.apps/web configured\n');
    expect(await kubectl('apply', '-f', await manifest('web', deployment('web', 'web:2')))).toBe('deployment.apps/web unchanged\n');
    expect(await kubectl('rollout', 'status', 'deploy/web', '--timeout=100s')).toContain('successfully rolled out');
    expect(await kubectl('rollout', 'history', 'deploy/web')).toMatch(/REVISION[\s\S]*\n1 [\s\S]*\n2 /);
    expect(await kubectl('rollout', 'undo', 'deploy/web')).toContain('rolled back');
    expect(await kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe('web:1');
  });

  it('[issue 12, 2] names a kind that nobody serves as it does on a real cluster', async () => {
    const unknown = manifest('unknown', { apiVersion: 'nobody.example/v1', kind: 'Nothing', metadata: { name: 'a' } });
    await expect(unknown.then((file) => kubectl('apply', '-f', file))).rejects.toThrow(
      'no matches for kind "Nothing" in version "nobody.example/v1"',
    );
  });

  it('[issue 10, 4] keeps every digit of a whole number of 64 bits', async () => {
    const file = path.join(dir, 'long.json');
    const pod = (digits: string) =>
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"long"},"spec":{"terminationGracePeriodSeconds":${digits},"containers":[{"name":"a","image":"a"}]}}`;
    await writeFile(file, pod('9007199254740993'));
    for (const flags of [['--server-side'], []]) {
      expect(await kubectl('apply', '-f', file, '--dry-run=server', '-o', 'json', ...flags)).toContain(
        '"terminationGracePeriodSeconds": 9007199254740993',
      );
    }
    await kubectl('create', '-f', file);
    expect(await kubectl('get', 'pod', 'long', '-o', 'jsonpath={.spec.terminationGracePeriodSeconds}')).toBe('9007199254740993');
    await kubectl('delete', 'pod', 'long', '--now');
  });

  it('[cluster V2] prints every form of get', async () => {
    await kubectl('apply', '-f', await manifest('forms', deployment('forms', 'web:1')));
    await kubectl('rollout', 'status', 'deploy/forms', '--timeout=100s');
    expect(await kubectl('get', 'deploy', 'forms')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nforms +2\/2 +2 +2 +\d+s\n$/);
    expect(await kubectl('get', 'deploy', 'forms', '-o', 'wide')).toMatch(/CONTAINERS +IMAGES +SELECTOR\n.* main +web:1 +app=forms\n$/);
    expect(await kubectl('get', 'pods', '-l', 'app=forms')).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE\n(forms-\S+ +1\/1 +Running +0 +\d+s\n){2}$/,
    );
    expect(await kubectl('get', 'deploy', 'forms', '-o', 'name')).toBe('deployment.apps/forms\n');
    expect(JSON.parse(await kubectl('get', 'deploy', 'forms', '-o', 'json'))).toMatchObject({
      kind: 'Deployment',
      status: { readyReplicas: 2 },
    });
    expect(await kubectl('get', 'deploy', 'forms', '-o', 'yaml')).toContain('kind: Deployment\n');
    expect(await kubectl('get', 'nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\nnode-1 +Ready/);
    expect(await kubectl('get', 'all')).toContain('deployment.apps/forms');
    expect(await kubectl('get', 'events')).toContain('ScalingReplicaSet');
    await kubectl('expose', 'deploy', 'forms', '--type=LoadBalancer', '--port=80');
    expect(await kubectl('get', 'svc', 'forms')).toMatch(/\nforms +LoadBalancer +10\.\S+ +<pending> +80:\d+\/TCP /);
    await kubectl('wait', 'svc/forms', '--for=jsonpath={.status.loadBalancer.ingress}', '--timeout=100s');
    expect(await kubectl('get', 'svc', 'forms')).toMatch(/\nforms +LoadBalancer +10\.\S+ +198\.18\.\S+ +80:\d+\/TCP /);
  });

  it('[cluster V2] watches', async () => {
    await kubectl('create', 'configmap', 'seen', '--from-literal=x=1');
    const watching = spawn(binary, [...common(), 'get', 'cm', '-w', '--field-selector', 'metadata.name=seen', '-o', 'name']);
    let printed = '';
    watching.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const hasPrinted = (lines: number) => until(`it printed ${lines} lines`, () => printed.split('\n').length > lines);
    try {
      await hasPrinted(1); // what is there; from here on it hears of every change
      await kubectl('patch', 'configmap', 'seen', '-p', '{"data":{"x":"2"}}');
      await hasPrinted(2);
      await kubectl('label', 'configmap', 'seen', 'y=z');
      await hasPrinted(3);
      await kubectl('delete', 'configmap', 'seen');
      await hasPrinted(4);
    } finally {
      watching.kill();
    }
    expect(printed).toMatch(/^(configmap\/seen\n){4}$/);
  });

  it('[cluster V2] describes, explains and lists what is served', async () => {
    await kubectl('apply', '-f', await manifest('told', deployment('told', 'web:1')));
    await kubectl('rollout', 'status', 'deploy/told', '--timeout=100s');
    expect(await kubectl('describe', 'deploy', 'told')).toMatch(/Replicas: +2 desired \| 2 updated \| 2 total \| 2 available/);
    expect(await kubectl('describe', 'pods', '-l', 'app=told')).toMatch(/Controlled By: +ReplicaSet\/told-/);
    expect(await kubectl('explain', 'deploy.spec.strategy')).toContain('rollingUpdate');
    expect(await kubectl('api-resources')).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
  });

  it('[cluster V2] applies on the side of the server, and is told whose a field is', async () => {
    const file = await manifest('ssa', deployment('ssa', 'web:1'));
    const put = (...more: string[]) => kubectl('apply', '--server-side', '-f', file, ...more);
    await expect(kubectl('diff', '--server-side', '-f', file)).rejects.toMatchObject({ code: 1 });
    expect(await put()).toBe('deployment.apps/ssa serverside-applied\n');
    await kubectl('rollout', 'status', 'deploy/ssa', '--timeout=100s');
    expect(await kubectl('diff', '--server-side', '-f', file)).toBe('');
    await kubectl('scale', 'deploy/ssa', '--replicas=3');
    await expect(put()).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
    expect(await put('--force-conflicts')).toBe('deployment.apps/ssa serverside-applied\n');
    const seen = JSON.parse(await kubectl('get', 'deploy', 'ssa', '-o', 'json', '--show-managed-fields'));
    expect(seen.spec.replicas).toBe(2);
    const of = seen.metadata.managedFields.map(({ manager, operation }: Record<string, string>) => `${manager} ${operation}`);
    expect(of).toEqual(['kubectl Apply', 'kube-controller-manager Update']);
  });

  it('[cluster V2] takes over on the side of the server what it applied from its own', async () => {
    const file = await manifest('moved', deployment('moved', 'web:1'));
    await kubectl('apply', '-f', file);
    const next = await manifest('moved', deployment('moved', 'web:2'));
    expect(await kubectl('apply', '--server-side', '-f', next)).toBe('deployment.apps/moved serverside-applied\n');
    const seen = JSON.parse(await kubectl('get', 'deploy', 'moved', '-o', 'json', '--show-managed-fields'));
    expect(seen.metadata.managedFields.map(({ manager }: Record<string, string>) => manager)).not.toContain('kubectl-client-side-apply');
  });

  it('[cluster V2] scales, waits and deletes', async () => {
    await kubectl('apply', '-f', await manifest('many', deployment('many', 'web:1')));
    expect(await kubectl('scale', 'deploy/many', '--replicas=3')).toBe('deployment.apps/many scaled\n');
    await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=3', 'deploy/many', '--timeout=100s');
    expect(await kubectl('delete', 'deploy', 'many')).toContain('deleted');
    await kubectl('wait', '--for=delete', 'pods', '-l', 'app=many', '--timeout=100s');
    expect(await kubectl('get', 'rs,pods', '-l', 'app=many', '-o', 'name')).toBe('');
  });

  it('[cluster V2] says who may do what', async () => {
    await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods');
    await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--user=bob');
    expect(await kubectl('auth', 'can-i', 'delete', 'pods')).toBe('yes\n');
    expect(await kubectl('auth', 'can-i', 'get', 'pods', '--as', 'bob')).toBe('yes\n');
    await expect(kubectl('auth', 'can-i', 'delete', 'pods', '--as', 'bob')).rejects.toMatchObject({ stdout: 'no\n' });
    await expect(kubectl('get', 'secrets', '--as', 'bob')).rejects.toThrow(
      'secrets is forbidden: User "bob" cannot list resource "secrets"',
    );
  });

  it('[cluster V2] refuses what does not fit, in the words of the original', async () => {
    const odd = await manifest('odd', deployment('odd', 'web:1', { replica: 3 }));
    await expect(kubectl('apply', '-f', odd)).rejects.toThrow('strict decoding error: unknown field "spec.replica"');
    await expect(kubectl('get', 'nothing')).rejects.toThrow('the server doesn\'t have a resource type "nothing"');
    await expect(kubectl('get', 'pod', 'nobody')).rejects.toThrow('pods "nobody" not found');
  });

  it('[cluster H3] takes the protobuf bodies of typed clients', async () => {
    await kubectl('create', 'ingress', 'front', '--rule=shop.example/api*=web:80');
    expect(JSON.parse(await kubectl('get', 'ingress', 'front', '-o', 'json')).spec.rules).toEqual([
      {
        host: 'shop.example',
        http: { paths: [{ backend: { service: { name: 'web', port: { number: 80 } } }, path: '/api', pathType: 'Prefix' }] },
      },
    ]);
    await kubectl('create', 'secret', 'generic', 'hidden', '--from-literal=a=b');
    expect(await kubectl('get', 'secret', 'hidden', '-o', 'jsonpath={.data.a}')).toBe('Yg==');
    expect(await kubectl('create', 'token', 'default')).toMatch(/^\S{20,}/);
    await kubectl('create', 'cronjob', 'nightly', '--image=job:1', '--schedule=0 3 * * *');
    expect(await kubectl('get', 'cronjob', 'nightly')).toMatch(/nightly +0 3 \* \* \*/);
  });

  it('[cluster X1] works with custom kinds and their columns', async () => {
    const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
    const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns: columns }];
    const names = { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.test.io' },
      spec: { group: 'test.io', scope: 'Namespaced', names, versions },
    };
    await kubectl('apply', '-f', await manifest('definition', definition));
    await kubectl('wait', '--for=condition=Established', 'crd/widgets.test.io', '--timeout=100s');
    const widget = { apiVersion: 'test.io/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 4 } };
    expect(await kubectl('apply', '-f', await manifest('widget', widget))).toBe('widget.test.io/a created\n');
    expect(await kubectl('get', 'wd')).toMatch(/^NAME +SIZE\na +4\n$/);
    const bad = await manifest('bad', { ...widget, spec: { size: 0 } });
    await expect(kubectl('apply', '-f', bad)).rejects.toThrow('spec.size in body should be greater than or equal to 1');
    await kubectl('delete', 'crd', 'widgets.test.io');
  });
});
