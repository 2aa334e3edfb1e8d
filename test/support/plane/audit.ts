import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const line = z.object({
  verb: z.string(),
  userAgent: z.string().default(''),
  requestURI: z.string(),
  requestReceivedTimestamp: z.string(),
  objectRef: z
    .object({
      resource: z.string().default(''),
      namespace: z.string().default(''),
      name: z.string().default(''),
      subresource: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number().default(0) }).optional(),
});

/** A write as the API server answered it. */
export interface AuditedWrite {
  readonly verb: string;
  /** Plural of the kind, with the subresource where it is of one. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** The part of a server that wrote, as `application` or `rollout`; undefined for everybody else. */
  readonly engine: string | undefined;
  /** When the API server received it, in milliseconds since the epoch. */
  readonly at: number;
}

const ENGINE = /^slipway\/\S+ \((application|rollout|chartsync|values)[^)]*\)/;

/** Reads the audit log of an API server, without what was only tried; a line that is still being written is left out. */
export async function readAudit(file: string): Promise<readonly AuditedWrite[]> {
  const text = await readFile(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => line.parse(JSON.parse(one)))
    .filter(({ requestURI }) => !requestURI.includes('dryRun='))
    .map(toWrite);
}

function toWrite({ verb, userAgent, requestReceivedTimestamp, objectRef, responseStatus }: z.infer<typeof line>): AuditedWrite {
  const { resource = '', subresource, namespace = '', name = '' } = objectRef ?? {};
  return {
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: responseStatus?.code ?? 0,
    engine: ENGINE.exec(userAgent)?.[1],
    at: Date.parse(requestReceivedTimestamp),
  };
}
