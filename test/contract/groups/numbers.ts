import { textOf } from '../ask';
import type { ContractCase, Scene } from '../scene';
import { crd, version, withCrd } from './custom-resources';

const SPEC = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { size: { type: 'integer', format: 'int64' } } };
const COLUMNS = { additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }] };
const NUMBERS = [
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740991',
  '1234567890123456',
];
const BEYOND = ['9223372036854775808', '100000000000000000000000'];

/** The digits of every long number of an answer, in the order of its text; the mask and JSON both would change them. */
const digitsIn = (text: string) => text.match(/(?<=[:[,\s])-?\d{16,}/g) ?? [];

async function ask({ cluster }: Scene, method: string, path: string, type: string, body?: string, accept = 'application/json') {
  const { status, text } = await textOf(cluster, {
    method,
    path,
    headers: { accept, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
  return { status, digits: digitsIn(text).sort() };
}

export const numbers: readonly ContractCase[] = [
  {
    title: '[cluster W1] whole numbers of 64 bits keep every digit, whatever writes and reads them',
    async play(scene) {
      const { cluster, id, ns, note } = scene;
      await withCrd(scene, crd(id, [version('v1', COLUMNS, SPEC)]), async () => {
        const all = `/apis/${id}.example/v1/namespaces/${ns}/widgets`;
        const json = (name: string, spec: string) =>
          `{"apiVersion":"${id}.example/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`;
        const since = (JSON.parse((await textOf(cluster, { path: all })).text) as { metadata: { resourceVersion: string } }).metadata
          .resourceVersion;
        for (const [at, digits] of NUMBERS.entries()) {
          await note(
            `create ${digits}`,
            ask(scene, 'POST', all, 'application/json', json(`w${at}`, `{"size":${digits},"free":[${digits}],"text":"${digits}"}`)),
          );
        }
        for (const digits of BEYOND)
          await note(`free ${digits}`, ask(scene, 'POST', `${all}?dryRun=All`, 'application/json', json('f', `{"free":${digits}}`)));
        const yaml = `apiVersion: ${id}.example/v1\nkind: Widget\nmetadata:\n  name: named\n  labels: { a: 'y' }\nspec:\n  on: yes\n  off: 'yes'\n  at: 2026-01-01\n  octal: 010\n  size: 9007199254740993\n  free: [-9007199254740993]\n`;
        await note('create in YAML', ask(scene, 'POST', all, 'application/yaml', yaml));
        const one = `${all}/w0`;
        await note('merge', ask(scene, 'PATCH', one, 'application/merge-patch+json', '{"spec":{"size":9007199254740995}}'));
        await note('merge beside', ask(scene, 'PATCH', one, 'application/merge-patch+json', '{"spec":{"beside":1}}'));
        const operations =
          '[{"op":"test","path":"/spec/size","value":9007199254740995},{"op":"copy","from":"/spec/size","path":"/spec/copy"},{"op":"replace","path":"/spec/size","value":9007199254740997}]';
        await note('operations', ask(scene, 'PATCH', one, 'application/json-patch+json', operations));
        await note(
          'a test that fails',
          ask(scene, 'PATCH', one, 'application/json-patch+json', '[{"op":"test","path":"/spec/size","value":9007199254740996}]'),
        );
        await note(
          'apply',
          ask(scene, 'PATCH', `${one}?fieldManager=a&force=true`, 'application/apply-patch+yaml', json('w0', '{"size":9007199254740999}')),
        );
        await note(
          'apply again',
          ask(scene, 'PATCH', `${one}?fieldManager=b`, 'application/apply-patch+yaml', json('w0', '{"size":9007199254740999}')),
        );
        await note(
          'apply another',
          ask(scene, 'PATCH', `${one}?fieldManager=b`, 'application/apply-patch+yaml', json('w0', '{"size":9007199254741001}')).then(
            ({ status }) => status,
          ),
        );
        await note('read', ask(scene, 'GET', one, 'application/json'));
        await note('listed', ask(scene, 'GET', `${all}?fieldSelector=metadata.name=w0`, 'application/json'));
        await note(
          'as a row',
          ask(
            scene,
            'GET',
            `${all}?fieldSelector=metadata.name=w0&includeObject=None`,
            'application/json',
            undefined,
            'application/json;as=Table;v=v1;g=meta.k8s.io',
          ),
        );
        await note(
          'in YAML',
          ask(scene, 'GET', one, 'application/json', undefined, 'application/yaml').then(({ digits }) => [...digits].sort()),
        );
        const watched = `${all}?watch=1&resourceVersion=${since}&timeoutSeconds=1&fieldSelector=metadata.name=w0`;
        await note('watched', ask(scene, 'GET', watched, 'application/json'));
      });
    },
  },
  {
    title: '[cluster W1] a number of a built-in kind keeps every digit; YAML is that of 1.1',
    async play(scene) {
      const { ns, note } = scene;
      const pods = `/api/v1/namespaces/${ns}/pods?dryRun=All`;
      const spec = '{"terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"a","image":"a"}]}';
      await note(
        'grace',
        ask(scene, 'POST', pods, 'application/json', `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":${spec}}`),
      );
      const maps = `/api/v1/namespaces/${ns}/configmaps?dryRun=All`;
      const send = async (data: string) => {
        const body = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  a: ${data}\n`;
        const { status, text } = await textOf(scene.cluster, {
          method: 'POST',
          path: maps,
          headers: { 'content-type': 'application/yaml' },
          body,
        });
        const said = JSON.parse(text) as { readonly data?: object; readonly message?: string };
        return { status, data: said.data, message: said.message };
      };
      for (const data of ['yes', 'n', "'yes'", '2026-01-01', '10:20', '010', 'first\n  a: last']) await note(data, send(data));
    },
  },
];
