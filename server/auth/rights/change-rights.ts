import type { Act, Right } from '../act';
import { FLUX_RESOURCES, RESOURCES } from '../act';
import { releasesOf, uninstallRights } from './release-rights';

type Change = Extract<
  Act,
  {
    readonly kind:
      | 'create-application'
      | 'change-application'
      | 'delete-application'
      | 'change-release'
      | 'delete-release'
      | 'uninstall-undeclared'
      | 'act-on-flux';
  }
>;

/** What somebody needs who changes an application or a release, or asks Flux for something. */
export function changeRights(act: Change): readonly Right[] {
  switch (act.kind) {
    case 'create-application':
      return [{ verb: 'create', ...RESOURCES.applications, namespace: act.ns }];
    case 'change-application':
      return [{ verb: 'update', ...RESOURCES.applications, namespace: act.ns, name: act.name }];
    case 'delete-application':
      return [{ verb: 'delete', ...RESOURCES.applications, namespace: act.ns, name: act.name }];
    case 'change-release':
      return [{ verb: 'update', ...releasesOf(act.of), namespace: act.ns, name: act.name }];
    case 'delete-release':
      return [{ verb: 'delete', ...releasesOf(act.of), namespace: act.ns, name: act.name }];
    case 'uninstall-undeclared':
      return uninstallRights(act.ns);
    case 'act-on-flux':
      return [{ verb: 'patch', ...FLUX_RESOURCES[act.of], namespace: act.ns, name: act.name }];
  }
}
