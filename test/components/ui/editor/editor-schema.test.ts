import { describe, expect, it } from 'vitest';
import { keyAt, kindsWritten, outline, placeAt } from '@/components/ui/editor/editor-outline';
import type { Schema } from '@/components/ui/editor/editor-schema';
import { helpOf, schemaShape, suggest } from '@/components/ui/editor/editor-schema';
import { applicationSchema } from '@/server/commands';

const schema: Schema = schemaShape.parse(applicationSchema());

/** A text with the cursor at the mark. */
function at(marked: string) {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  const text = marked.replace('¦', '');
  return { text, line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

function labels(marked: string): readonly string[] {
  const { text, line, column } = at(marked);
  const place = placeAt(text, line, column);
  return place === null ? [] : suggest(schema, place).map(({ label }) => label);
}

const HEAD = 'apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata:\n  name: web\n  namespace: shop\nspec:\n';

describe('help in objects of kinds that definitions bring', () => {
  const gadget: Schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', required: ['size'], properties: { colour: { type: 'string' }, size: { enum: ['small', 'large'] } } },
    },
  };
  const withKinds: Schema = { ...schema, kinds: { 'example.com/v1 Gadget': gadget } };
  const objects = `${HEAD}  components:\n    - name: a\n      type: k8s-objects\n      properties:\n        objects:\n`;
  const inside = (kind: string, rest: string) =>
    `${objects}          - apiVersion: example.com/v1\n            kind: ${kind}\n            spec:\n              ${rest}`;

  it.each([
    ['keys of its spec', inside('Gadget', '¦'), ['size', 'colour']],
    ['values of a few', inside('Gadget', 'size: ¦'), ['small', 'large']],
    ['nothing of a kind that nobody defined', inside('Gizmo', '¦'), []],
  ])('[issue 14.3] offers %s', (_what, marked, expected) => {
    const { text, line, column } = at(marked);
    const place = placeAt(text, line, column);
    expect(place === null ? [] : suggest(withKinds, place).map(({ label }) => label)).toEqual(expected);
  });

  it('[issue 14.3] finds each kind that a text names once', () => {
    const text = inside('Gadget', 'size: small\n          - apiVersion: example.com/v1\n            kind: Gadget\n');
    expect(kindsWritten(text).toSorted()).toEqual(['core.oam.dev/v1beta1 Application', 'example.com/v1 Gadget']);
  });
});

describe('help while an application is written', () => {
  it.each([
    ['at the top', '¦', ['apiVersion', 'kind', 'metadata', 'spec']],
    ['below spec', `${HEAD}  ¦`, ['components', 'policies']],
    ['in a list of components', `${HEAD}  components:\n    - ¦`, ['name', 'type', 'traits']],
    ['in a list at the column of its key', `${HEAD}  components:\n  - name: a\n    ¦`, ['type', 'traits']],
    [
      'for a component type',
      `${HEAD}  components:\n    - name: a\n      type: ¦`,
      ['webservice', 'worker', 'task', 'cron-task', 'k8s-objects'],
    ],
    [
      'for a type before it is whole',
      `${HEAD}  components:\n    - name: a\n      type: webs¦`,
      ['webservice', 'worker', 'task', 'cron-task', 'k8s-objects'],
    ],
    [
      'for a value of a few',
      `${HEAD}  policies:\n    - type: rollout\n      properties:\n        strategy: ¦`,
      ['availability', 'resourceutil'],
    ],
    [
      'for a yes or no',
      `${HEAD}  policies:\n    - type: rollout\n      properties:\n        control:\n          paused: ¦`,
      ['true', 'false'],
    ],
    [
      'in a trait',
      `${HEAD}  components:\n    - name: a\n      type: worker\n      traits:\n        - type: ¦`,
      ['scaler', 'hpa', 'expose', 'gateway', 'labels', 'annotations', 'env', 'resource'],
    ],
    ['in a comment', `${HEAD}  # comp¦`, []],
    [
      'in a block of text',
      `${HEAD}  components:\n    - name: a\n      type: worker\n      properties:\n        cmd:\n          - |\n            echo: ¦`,
      [],
    ],
  ])('[design 9] offers what can stand %s', (_where, marked, wanted) => {
    expect(labels(marked)).toEqual(wanted);
  });

  it('[design 9] offers the properties of the type that is written, before or after them, and none that is there', () => {
    const before = labels(`${HEAD}  components:\n    - type: webservice\n      name: a\n      properties:\n        image: x\n        ¦`);
    const after = labels(`${HEAD}  components:\n    - name: a\n      properties:\n        ¦\n      type: webservice\n`);
    expect(before).toEqual(expect.arrayContaining(['port', 'ports', 'env', 'cpu']));
    expect(before).not.toContain('image');
    expect(after[0]).toBe('image');
  });

  it('[design 9] explains the key under the pointer, and says what is taken when nothing is written', () => {
    const { text, line, column } = at(`${HEAD}  policies:\n    - type: rollout\n      properties:\n        ra¦tio: 20\n`);
    const node = keyAt(text, line, column);
    expect(node && helpOf(schema, node)).toEqual({
      name: 'ratio',
      takes: 'integer',
      text: 'Percent of the replicas that each stage moves.',
      fallback: '10',
    });
  });

  it('[design 9] nests as the columns say, in broken text too', () => {
    const root = outline('a:\n  - b: 1\n    c: [\n  - d:\ne: |\n  f: 1\n\n  g: 2\nh: 3');
    expect(root.children.map(({ name }) => name)).toEqual(['a', 'e', 'h']);
    expect(root.children[0]?.children.map(({ name, children }) => [name, children.map((child) => child.name)])).toEqual([
      ['0', ['b', 'c']],
      ['1', ['d']],
    ]);
  });
});
