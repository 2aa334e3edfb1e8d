import type { KubeObject } from '@/lib/kube/object';
import { CRD } from '../objects';
import type { ContractCase } from '../scene';
import { applier, by, seen } from './applying';

export const customKindsApplied: ContractCase = {
  title: '[cluster W4] custom kinds are applied as their schema says',
  async play(scene) {
    const { cluster, ns, id, note, until } = scene;
    const put = applier(scene);
    const group = `${id}.example`;
    const list = (type: string, items: object, more: object = {}) => ({ type: 'array', 'x-kubernetes-list-type': type, items, ...more });
    const part = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 }, sub: { type: 'string' } },
    };
    const spec = {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        parts: list('map', part, { 'x-kubernetes-list-map-keys': ['name'] }),
        tags: list('set', { type: 'string' }),
        plain: { type: 'array', items: { type: 'string' } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
      },
    };
    const schema = {
      openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    };
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema, subresources: { status: {} } });
    const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' };
    await cluster.create({
      ...CRD,
      metadata: { name: `widgets.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: [version('v1', true), version('v2', false)] },
    });
    const type = { apiVersion: `${group}/v1`, kind: 'Widget' };
    const widget = (more: object, rest: object = {}, apiVersion = type.apiVersion): KubeObject => ({
      apiVersion,
      kind: 'Widget',
      metadata: { namespace: ns, name: 'a' },
      spec: more,
      ...rest,
    });
    try {
      cluster.discovery.invalidate();
      const isServed = async (apiVersion: string) => {
        try {
          await cluster.get({ ...type, apiVersion, namespace: ns, name: 'nobody' });
        } catch (error) {
          cluster.discovery.invalidate();
          return String(error).includes('"nobody" not found');
        }
        return true;
      };
      await until('both versions are served', async () => (await isServed(type.apiVersion)) && (await isServed(`${group}/v2`)));
      await note(
        'created',
        seen(
          put(
            widget({
              size: 1,
              parts: [{ name: 'a' }, { name: 'b', count: 2 }],
              tags: ['x', 'y'],
              plain: ['p'],
              labels: { l: '1' },
              whole: { w: '1' },
              free: { deep: { a: 1 }, list: [1] },
              port: 80,
            }),
            by('one'),
          ),
        ),
      );
      await note(
        'by another',
        seen(
          put(
            widget({
              parts: [
                { name: 'c', sub: 's' },
                { name: 'a', sub: 's' },
              ],
              tags: ['z'],
              labels: { m: '2' },
              free: { deep: { b: 2 } },
            }),
            by('two'),
          ),
        ),
      );
      await note(
        'conflicts',
        put(
          widget({
            size: 2,
            plain: ['q'],
            whole: { w: '1', v: '2' },
            parts: [{ name: 'b', count: 3 }],
            free: { deep: { a: 2 }, list: [2] },
            port: 'http',
          }),
          by('two'),
        ),
      );
      await note('less', seen(put(widget({ size: 1, parts: [{ name: 'a' }], free: { deep: {} } }), by('one'))));
      await note('in another version', seen(put(widget({ size: 1, labels: { l: '3' } }, {}, `${group}/v2`), by('one'))));
      await note('unknown field', put(widget({ sise: 1 }), by('one')));
      await note('wrong type', put(widget({ size: 'big' }), by('one')));
      await note('status is not taken', seen(put(widget({ size: 1 }, { status: { ready: true } }), by('one'))));
      const at = { ...type, namespace: ns, name: 'a' };
      await note(
        'status',
        seen(
          cluster.patch(
            at,
            { type: 'apply', body: widget({ size: 5 }, { status: { ready: true } }) },
            by('one', { subresource: 'status' }),
          ),
        ),
      );
      await note(
        'status updated',
        seen(cluster.patch(at, { type: 'merge', body: { status: { ready: false, more: [1] } } }, by('two', { subresource: 'status' }))),
      );
      await note('updated', seen(cluster.patch(at, { type: 'merge', body: { spec: { size: 9, tags: ['z', 'n'] } } }, by('three'))));
    } finally {
      await cluster.delete({ ...CRD, name: `widgets.${group}` });
    }
  },
};
