import { describe, expect, it } from 'vitest';
import { formatOwner, ownerOf, parseOwner } from '@/lib/kube/labels/object-owner';
import type { ObjectMeta } from '@/lib/kube/object';

const reference = (kind: string, name: string, controller?: boolean) => ({
  apiVersion: 'v1',
  kind,
  name,
  uid: name,
  ...(controller && { controller }),
});
const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
const HELM = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'pay' };

describe('the owner of an object', () => {
  it.each<readonly [string, ObjectMeta, string | null]>([
    [
      'a controller, before the labels of its template',
      { labels: FLUX, ownerReferences: [reference('ReplicaSet', 'web-1', true)] },
      'ReplicaSet/shop/web-1',
    ],
    [
      'the application, and not the tracker that records for it',
      owned({ 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' }),
      'Application/shop/web',
    ],
    ['a Kustomization of Flux', { labels: FLUX }, 'Kustomization/flux-system/apps'],
    [
      'a HelmRelease of Flux',
      { labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'pay' } },
      'HelmRelease/pay/web',
    ],
    [
      'an application of Argo CD',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'apps:apps/Deployment:shop/web' } },
      'Application/apps',
    ],
    [
      'one of another namespace',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'team_apps:apps/Deployment:shop/web' } },
      'Application/team/apps',
    ],
    ['a release of Helm', { annotations: HELM }, 'Helm release/pay/web'],
    ['an owner that does not control it', { ownerReferences: [reference('Job', 'once')] }, 'Job/shop/once'],
    ['the tool that manages it', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, 'Helm'],
    ['nobody', { labels: { app: 'web' } }, null],
  ])('[issue 14.3] is %s', (_what, metadata, expected) => {
    const owner = ownerOf({ namespace: 'shop', ...metadata });
    expect(owner && formatOwner(owner)).toBe(expected);
    expect(owner && parseOwner(formatOwner(owner))).toEqual(owner);
  });
});

function owned(labels: Readonly<Record<string, string>>): ObjectMeta {
  return { labels, ownerReferences: [reference('ResourceTracker', 'web-v1-shop', true)] };
}
