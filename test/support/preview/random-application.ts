import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Random } from '@/server/platform';
import { THING } from './contents';

const KIND_OF: Readonly<Record<string, TypeRef>> = {
  a: { apiVersion: 'v1', kind: 'ConfigMap' },
  b: { apiVersion: 'v1', kind: 'ConfigMap' },
  c: { apiVersion: 'v1', kind: 'ConfigMap' },
  d: { apiVersion: 'v1', kind: 'Secret' },
  e: { apiVersion: 'v1', kind: 'Service' },
  f: THING,
  g: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  h: { apiVersion: 'v1', kind: 'ConfigMap' },
};

/** True for a name that an object of a run has, which nobody without rights may be told. */
export const isRunName = (name: string) => name in KIND_OF;

/** Draws of one run, the same for the same seed. */
export class Dice {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T; // an index of the list
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }
}

/** Where the objects of a run live, and whether rollouts come to an end there. */
export interface Ground {
  readonly ns: string;
  readonly other: string;
  readonly isAlive: boolean;
}

function manifestOf(name: string, value: string, other: string): KubeObject {
  const metadata = { name, ...(name === 'h' ? { namespace: other } : {}) };
  const type = KIND_OF[name] ?? THING;
  switch (type.kind) {
    case 'Secret':
      return { ...type, metadata, data: { token: Buffer.from(value).toString('base64') } };
    case 'Service':
      return { ...type, metadata, spec: { selector: { app: value }, ports: [{ port: 80 }] } };
    case 'Thing':
      return { ...type, metadata, spec: { value } };
    case 'PersistentVolumeClaim':
      return {
        ...type,
        metadata,
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } } },
      };
    default:
      return { ...type, metadata, data: { value } };
  }
}

/** An application as somebody might write it. */
export function randomApplication(dice: Dice, { ns, other, isAlive }: Ground): KubeObject {
  const names = Object.keys(KIND_OF).filter(() => dice.chance(0.55));
  const objects = (names.length === 0 ? ['a'] : names).map((name) => manifestOf(name, dice.pick(['1', '2', '3']), other));
  const hasWeb = dice.chance(isAlive ? 0.7 : 0.3);
  const isStaged = isAlive && hasWeb && dice.chance(0.6);
  const web = {
    name: 'web',
    type: 'webservice',
    properties: { image: `web:${dice.pick(['1', '2', '3'])}` },
    traits: [{ type: 'scaler', properties: { replicas: isStaged ? dice.pick([2, 3]) : dice.pick([1, 2]) } }],
  };
  const policies = [
    ...(isStaged ? [rolloutPolicy(dice)] : []),
    ...(dice.chance(0.1) ? [{ type: 'garbage-collect', properties: { keepLegacyResource: true } }] : []),
    ...(dice.chance(0.1)
      ? [{ type: 'garbage-collect', properties: { rules: [{ selector: { resourceNames: ['b'] }, strategy: 'never' }] } }]
      : []),
  ].filter((policy, at, all) => all.findIndex(({ type }) => type === policy.type) === at);
  const components = [{ name: 'set', type: 'k8s-objects', properties: { objects } }, ...(hasWeb ? [web] : [])];
  return {
    ...KINDS.application,
    metadata: { name: 'web', namespace: ns },
    spec: { components, ...(policies.length > 0 ? { policies } : {}) },
  };
}

/** In one go, or with gates that open by themselves after a while, and what is left kept for long or not at all. */
function rolloutPolicy(dice: Dice) {
  const control = {
    scaleDownDelaySeconds: dice.pick([0, 900]),
    ...(dice.chance(0.7) ? { gates: 'every-stage', pause: { duration: '10m' } } : {}),
  };
  return { type: 'rollout', properties: { component: 'web', ratio: dice.pick([50, 50, 100]), control } };
}
