import { formatCount } from '../../figures';
import { catalogue } from '../catalogue';

/** What the console says of releases that no resource declares. */
export const t = catalogue({
  title: 'Not declared by any resource',
  note: 'Helm keeps these in its own storage, and no HelmRelease or FluxHelmRelease declares them. Slipway does not change them unless someone uninstalls one.',
  others: <A>(sentence: A) => ['Not everything could be read: ', sentence],
  revision: (revision: number) => `revision ${revision}`,
  inConfigMaps: 'stored in ConfigMaps, which are not read',
  leftBehind: 'Left behind',
  orphaned: 'Orphaned',
  uninstalling: 'Uninstalling',
  content: 'Values and manifest',
  contentIn: (name: string, ns: string) => `Values and manifest of ${name} in ${ns}`,
  uninstall: 'Uninstall',
  uninstallIn: (name: string, ns: string) => `Uninstall ${name} in ${ns}`,
  isUninstalling: 'It is being uninstalled.',
  decidedBy: (user: string) => `Uninstall by ${user}`,
  decidedWith: <A>(user: string, message: A) => [`Uninstall by ${user}: `, message],
  isRead: 'What Helm stored is being read.',
  isUnread: 'What Helm stored is unknown.',
  isDecided: (name: string) => `The decision to uninstall ${name} is recorded. The result appears beside the release.`,
  sending: 'Sending…',
  dialog: (name: string) => `Uninstall: ${name}`,
  about: (name: string, ns: string) => `Release ${name} in ${ns}, which no resource declares`,
  reading: 'Reading what Helm stored.',
  runsAsServer: 'Helm runs as the server, if your own permissions cover everything that it deletes.',
  runsAs: (account: string, ns: string) =>
    `Helm runs as ServiceAccount ${account} in ${ns}, if your own permissions cover everything that it deletes.`,
  deletes: (count: number) => `It deletes ${formatCount(count, 'object')} and every stored revision, so no rollback is possible.`,
  runsHooks: (count: number) => `It also runs ${formatCount(count, 'hook')}.`,
  stays: 'Definitions in the crds folder of its chart, and volumes claimed by a StatefulSet, stay.',
  keeps: (count: number) =>
    `${formatCount(count, 'object')} that the chart keeps, definitions in its crds folder, and volumes claimed by a StatefulSet, stay.`,
  again: 'Whatever installed it, such as a pipeline, may install it again.',
  objects: 'Objects',
  wordOf: { stays: 'stays', deleted: 'deleted', hook: 'runs as a hook' },
});
