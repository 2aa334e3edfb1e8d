import { describe, expect, it } from 'vitest';
import type { EditableObject, ObjectEditPreview } from '@/lib/contract/acts/object-edit';
import { AppError } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { editObject, readEditableObject } from '@/server/commands/objects/edit/edit-object';
import { rigOf, stored } from './played-objects';
import { ANN, configMap, refusalOf } from './rig';

describe('[design 14] the edit of an object', () => {
  const opened = async (object: KubeObject, more: object = {}) => {
    const rig = rigOf([object], more);
    const {
      apiVersion,
      kind,
      metadata: { namespace, name = '' },
    } = object;
    const seen: EditableObject = await readEditableObject(rig.deps, ANN, {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    });
    const at = { apiVersion, kind, name, ...(namespace === undefined ? {} : { ns: namespace }) };
    return {
      ...rig,
      text: seen.text,
      asked: {
        ...at,
        manifest: seen.text.replace("a: '1'", "a: '2'").replace('a: "1"', 'a: "2"'),
        seen: { uid: seen.uid, state: seen.state },
      },
    };
  };

  it('of what has no namespace is sent without one, with uid and version', async () => {
    const object: KubeObject = stored({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, data: { a: '1' } });
    const { deps, asked, written } = await opened(object);
    await editObject(deps, ANN, { ...asked, dryRun: true });
    expect(written).toMatchObject([{ metadata: { name: 'n', uid: 'uid-n', resourceVersion: '7' }, data: { a: '2' } }]);
    expect(Object.keys((written[0] as KubeObject).metadata)).not.toContain('namespace');
  });

  it('of what has one may leave it out in the text, and is sent with it', async () => {
    const { deps, asked, written } = await opened(stored(configMap('one')));
    const manifest = asked.manifest.replace(/\n\s*namespace: default/, '');
    expect(manifest).not.toBe(asked.manifest);
    await editObject(deps, ANN, { ...asked, manifest, dryRun: true });
    expect(written).toMatchObject([{ metadata: { name: 'one', namespace: 'default' } }]);
  });

  it('is not written where the cluster makes other labels of it than it did when it was shown', async () => {
    const { deps, asked, failing, written } = await opened(stored(configMap('one')));
    const labelled = (team: string) => (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, labels: { team } } });
    failing.makes = labelled('a');
    const { plan } = (await editObject(deps, ANN, { ...asked, dryRun: true })) as ObjectEditPreview;
    failing.makes = labelled('b');
    await expect(editObject(deps, ANN, { ...asked, plan })).rejects.toMatchObject({ code: 'conflict' });
    expect(written.length).toBe(2);
    failing.makes = labelled('a');
    await expect(editObject(deps, ANN, { ...asked, plan })).resolves.toMatchObject({ accepted: { name: 'one' } });
  });

  it.each<readonly [string, string, string, string]>([
    ['another name', 'name: one', 'name: two', 'found ConfigMap two in default in v1'],
    ['another namespace', 'namespace: default', 'namespace: shop', 'found ConfigMap one in shop in v1'],
  ])('names what the text is of instead: %s', async (_what, from, to, found) => {
    const { deps, asked, written } = await opened(stored(configMap('one')));
    const manifest = asked.manifest.replace(from, to);
    expect(manifest).not.toBe(asked.manifest);
    await expect(editObject(deps, ANN, { ...asked, manifest, dryRun: true })).rejects.toThrow(found);
    expect(written).toEqual([]);
  });

  it.each<readonly [Error, object]>([
    [refusalOf(409, 'Conflict'), { code: 'conflict', message: 'ConfigMap one in default was changed in the meantime; open it again' }],
    [refusalOf(404, 'NotFound'), { code: 'conflict', message: 'ConfigMap one in default was changed in the meantime; open it again' }],
    [
      refusalOf(422, 'Invalid'),
      { code: 'invalid', message: expect.stringContaining('the cluster refuses this change of ConfigMap one in default') },
    ],
  ])('says why it was not done: %s', async (failure, told) => {
    const { deps, asked, failing } = await opened(stored(configMap('one')));
    failing.write = failure;
    await expect(editObject(deps, ANN, { ...asked, dryRun: true })).rejects.toMatchObject({ ...told, cause: failure });
  });

  it.each<readonly [string, Error]>([
    ['the API server', refusalOf(500, 'InternalError')],
    ['us', new AppError('unavailable', 'nobody answers')],
  ])('passes on what else fails, with the sentence of %s', async (_whose, failure) => {
    const { deps, asked, failing } = await opened(stored(configMap('one')));
    failing.write = failure;
    await expect(editObject(deps, ANN, { ...asked, dryRun: true })).rejects.toBe(failure);
  });
});
