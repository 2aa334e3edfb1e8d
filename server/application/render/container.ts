import { z } from 'zod';

const words = z.record(z.string(), z.string());
const keyRef = z.strictObject({ name: z.string(), key: z.string() });

const env = z.array(
  z.strictObject({
    name: z.string(),
    value: z.string().optional(),
    valueFrom: z.strictObject({ secretKeyRef: keyRef.optional(), configMapKeyRef: keyRef.optional() }).optional(),
    sensitive: z.boolean().optional(),
  }),
);

const probe = z.strictObject({
  exec: z.strictObject({ command: z.array(z.string()) }).optional(),
  httpGet: z
    .strictObject({
      path: z.string(),
      port: z.number().int(),
      host: z.string().optional(),
      scheme: z.string().optional(),
      httpHeaders: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
    })
    .optional(),
  tcpSocket: z.strictObject({ port: z.number().int() }).optional(),
  initialDelaySeconds: z.number().int().default(0),
  periodSeconds: z.number().int().default(10),
  timeoutSeconds: z.number().int().default(1),
  successThreshold: z.number().int().default(1),
  failureThreshold: z.number().int().default(3),
});

const mounted = { name: z.string(), mountPath: z.string(), subPath: z.string().optional() };
const items = z.array(z.strictObject({ key: z.string(), path: z.string(), mode: z.number().int().default(511) })).optional();
const volumeMounts = z.strictObject({
  pvc: z.array(z.strictObject({ ...mounted, claimName: z.string() })).optional(),
  configMap: z.array(z.strictObject({ ...mounted, cmName: z.string(), defaultMode: z.number().int().default(420), items })).optional(),
  secret: z.array(z.strictObject({ ...mounted, secretName: z.string(), defaultMode: z.number().int().default(420), items })).optional(),
  emptyDir: z.array(z.strictObject({ ...mounted, medium: z.enum(['', 'Memory']).default('') })).optional(),
  hostPath: z.array(z.strictObject({ ...mounted, path: z.string() })).optional(),
});

/** Parameters that every container component takes, under KubeVela's names. */
export const containerParameters = {
  labels: words.optional(),
  annotations: words.optional(),
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'Never', 'IfNotPresent']).optional(),
  imagePullSecrets: z.array(z.string()).optional(),
  cmd: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: env.optional(),
  cpu: z.string().optional(),
  memory: z.string().optional(),
  volumeMounts: volumeMounts.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  hostAliases: z.array(z.strictObject({ ip: z.string(), hostnames: z.array(z.string()) })).optional(),
};

const containerSchema = z.strictObject(containerParameters);
export type ContainerParameters = z.infer<typeof containerSchema>;

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
}

type Volumes = z.infer<typeof volumeMounts>;

/** The pod spec of a component with one container, named like the component. */
export function toPodSpec(name: string, parameters: ContainerParameters, ports: readonly ContainerPort[]) {
  const { image, imagePullPolicy, imagePullSecrets, cmd, args, env: variables, hostAliases, livenessProbe, readinessProbe } = parameters;
  const resources = toResources(parameters);
  const mounts = toMounts(parameters.volumeMounts);
  const volumes = toVolumes(parameters.volumeMounts);
  return {
    containers: [
      {
        name,
        image,
        ...(ports.length > 0 ? { ports } : {}),
        ...(imagePullPolicy ? { imagePullPolicy } : {}),
        ...(cmd ? { command: cmd } : {}),
        ...(args ? { args } : {}),
        ...(variables ? { env: variables.map(toVariable) } : {}),
        ...(resources ? { resources } : {}),
        ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
        ...(livenessProbe ? { livenessProbe } : {}),
        ...(readinessProbe ? { readinessProbe } : {}),
      },
    ],
    ...(hostAliases ? { hostAliases } : {}),
    ...(imagePullSecrets ? { imagePullSecrets: imagePullSecrets.map((secret) => ({ name: secret })) } : {}),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}

/** Whether a value is sensitive concerns who reads the application, and no container. */
function toVariable({ sensitive: _sensitive, ...variable }: NonNullable<ContainerParameters['env']>[number]) {
  return variable;
}

function toResources({ cpu, memory }: ContainerParameters) {
  const amounts = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
  return cpu || memory ? { limits: amounts, requests: amounts } : undefined;
}

function toMounts(volumes: Volumes | undefined) {
  const { pvc = [], configMap = [], secret = [], emptyDir = [], hostPath = [] } = volumes ?? {};
  return [...pvc, ...configMap, ...secret, ...emptyDir, ...hostPath].map(({ name, mountPath, subPath }) => ({
    name,
    mountPath,
    ...(subPath ? { subPath } : {}),
  }));
}

function toVolumes(volumes: Volumes | undefined) {
  const { pvc = [], configMap = [], secret = [], emptyDir = [], hostPath = [] } = volumes ?? {};
  const all = [
    ...pvc.map(({ name, claimName }) => ({ name, persistentVolumeClaim: { claimName } })),
    ...configMap.map(({ name, cmName, defaultMode, items: keys }) => ({
      name,
      configMap: { name: cmName, defaultMode, ...(keys ? { items: keys } : {}) },
    })),
    ...secret.map(({ name, secretName, defaultMode, items: keys }) => ({
      name,
      secret: { secretName, defaultMode, ...(keys ? { items: keys } : {}) },
    })),
    ...emptyDir.map(({ name, medium }) => ({ name, emptyDir: medium === '' ? {} : { medium } })),
    ...hostPath.map(({ name, path }) => ({ name, hostPath: { path } })),
  ];
  // One volume may be mounted at several paths.
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
}
