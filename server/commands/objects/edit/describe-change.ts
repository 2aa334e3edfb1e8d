import type { ObjectEditPreview } from '@/lib/contract/acts/object-edit';
import { ownerOf, readOwnedFields } from '@/lib/kube/field-owners';
import { isSecretLike, maskBesideOlder } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { controllerOf, toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { DiffLine } from '@/lib/std/line-diff';
import { diffHunks } from '@/lib/std/line-diff';
import { formatPath } from '@/server/dispatch';
import type { CommandDeps, Place } from '../../command-deps';
import { rolloutScaling } from '../../drift-replacement';
import { toSortedYaml } from '../../manifest-text';
import { diffObjects, writable } from '../../object-diff';
import type { ChangedField } from './changed-paths';
import { changedFields } from './changed-paths';
import { shownOf } from './editable';

const MAX_FIELDS = 100;
const MAX_LINES = 2000;
const HELM_RELEASE = 'meta.helm.sh/release-name';

/** An object as it is, as it is to be written, and as the cluster would keep it. */
export interface Change {
  readonly before: KubeObject;
  readonly written: KubeObject;
  readonly after: KubeObject;
}

/** What a change of an object comes to: line by line, field by field with its owner, and who may set it back. */
export async function describeChange(deps: CommandDeps, { before, written, after }: Change): Promise<Omit<ObjectEditPreview, 'plan'>> {
  const [old, fresh] = [writable(before), writable(after)];
  const changed = changedFields(old, fresh);
  const fields = changed.map(({ steps }) => formatPath(steps));
  const wanted = changedFields(old, writable(written)).map(({ steps }) => formatPath(steps));
  const ignored = wanted.filter((path) => !fields.includes(path));
  return {
    lines: [...linesOf(before, after)],
    fields: fields.slice(0, MAX_FIELDS),
    owners: ownersOf(before, changed),
    ignored: [...ignored, ...(deepEqual(written.status, after.status) ? [] : ['status'])].slice(0, MAX_FIELDS),
    warnings: changed.length === 0 ? [] : [...(await warningsOf(deps, before))],
  };
}

function linesOf(before: KubeObject, after: KubeObject): readonly DiffLine[] {
  const lines = isSecretLike(before)
    ? (diffObjects(before, after) ?? [])
    : diffHunks(toSortedYaml(shownOf(before).value), toSortedYaml(maskBesideOlder(writable(before), writable(after))));
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), { sign: '…', text: `${lines.length - MAX_LINES} more lines differ` }];
}

/** Who set the fields that change; of what nobody set nothing is told. */
function ownersOf(before: KubeObject, changed: readonly ChangedField[]): ObjectEditPreview['owners'] {
  const owned = readOwnedFields(before) ?? [];
  const found = new Map<string, ObjectEditPreview['owners'][number]>();
  for (const { steps } of changed.slice(0, MAX_FIELDS)) {
    const owner = ownerOf(owned, steps);
    if (owner === undefined) continue;
    const { manager, operation, since = null } = owner;
    const key = `${manager} ${operation}`;
    const held = found.get(key) ?? { manager, operation, at: since, fields: [] };
    held.fields.push(formatPath(steps));
    found.set(key, held);
  }
  return [...found.values()];
}

async function warningsOf(deps: CommandDeps, object: KubeObject): Promise<readonly string[]> {
  const rollout = await rolloutScaling(deps.cluster, object);
  const controller = controllerOf(object);
  const release = object.metadata.annotations?.[HELM_RELEASE];
  return [
    ...deps.objectReader.applicationsOf(object).map((place) => formatReverted(deps, place, toAddress(object))),
    ...(rollout === undefined ? [] : [`Rollout ${rollout} moves its pods and replicas, and overwrites changes to these.`]),
    ...(controller === undefined ? [] : [`${controller.kind} ${controller.name} controls it and may revert the change.`]),
    ...(release === undefined ? [] : [`Helm release ${release} installed it: its next upgrade may revert the change.`]),
  ];
}

function formatReverted({ desiredOf }: CommandDeps, place: Place, at: ObjectAddress): string {
  const wanted = desiredOf(place, at);
  const who = `Application ${place.name}`;
  if ('uncompared' in wanted) return `It is part of ${who.toLowerCase()}, which does not list it itself.`;
  const { when, why } = wanted.repair;
  if (when === 'never') return `${who} applies it, and leaves what others change: ${why}`;
  return when === 'soon'
    ? `${who} applies it: its engine reverts the fields that it sets within seconds.`
    : `${who} applies it, and its engine reverts it later: ${why}`;
}
