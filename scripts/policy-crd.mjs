// The schema of spec.control in the definition of RolloutOrchestrator, made from the schema that reads it.
import { z } from 'zod';

const BEGIN = /^( *)# Made from server\/rollout\/policy by scripts\/write-docs\.mjs; from here on.*$/m;
const END = /^ *# Made until here\.$/m;

/** The definition with the part between the marks made anew. */
export function withPolicy(definition, policy) {
  const begin = BEGIN.exec(definition);
  const end = END.exec(definition);
  if (begin === null || end === null) throw new Error('the definition of RolloutOrchestrator has lost the marks around spec.control');
  const { properties } = z.toJSONSchema(policy, { io: 'input', unrepresentable: 'any' });
  const indent = begin[1];
  const lines = [`${indent}control:`, `${indent}  type: object`, `${indent}  properties:`, ...fields(properties, `${indent}    `)];
  return `${definition.slice(0, begin.index + begin[0].length)}\n${lines.join('\n')}\n${definition.slice(end.index)}`;
}

function fields(properties, indent) {
  return Object.entries(properties).flatMap(([name, schema]) => [`${indent}${name}:`, ...field(schema, `${indent}  `)]);
}

/** A structural schema knows less than JSON Schema: what has no type of its own keeps whatever is written, and the server reads it. */
function field({ description, default: fallback, type, items, properties, anyOf, minimum }, indent) {
  const words = fallback === undefined || properties !== undefined ? description : `${description} Default ${JSON.stringify(fallback)}.`;
  const line = (text) => `${indent}${text}`;
  const described = line(`description: ${JSON.stringify(words)}`);
  if (properties !== undefined) return [described, line('type: object'), line('properties:'), ...fields(properties, `${indent}  `)];
  if (anyOf !== undefined) return [described, line('x-kubernetes-preserve-unknown-fields: true')];
  if (type === 'array') return [described, line('type: array'), line(`items: { type: ${items.type} }`)];
  if (type === 'integer') return [described, line('type: integer'), line('format: int32'), line(`minimum: ${minimum ?? 0}`)];
  if (type === undefined) return [described, line('x-kubernetes-int-or-string: true')];
  return [described, line(`type: ${type}`)];
}
