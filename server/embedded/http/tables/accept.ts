type View = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

interface Accepted {
  /** False when nothing that the client takes is served. */
  readonly isServed: boolean;
  readonly as?: View;
  readonly isYaml: boolean;
}

const PLAIN: Accepted = { isServed: true, isYaml: false };

/** The form in which a client wants its answer: the first one of its list that is served. */
export function parseAccept(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return PLAIN;
  for (const part of header.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim());
    if (type === 'application/yaml') return { isServed: true, isYaml: true };
    if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') continue;
    const as = parameters.find((word) => word.startsWith('as='))?.slice(3);
    if (as === undefined) return PLAIN;
    const isServed = parameters.includes('g=meta.k8s.io') && parameters.includes('v=v1');
    if (isServed && (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'))
      return { isServed, as, isYaml: false };
  }
  return { isServed: false, isYaml: false };
}
