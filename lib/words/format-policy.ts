import { catalogue } from './catalogue/catalogue';
import { formatCount } from './figures';

/** What is said of a policy that lets more through than the one in force, and of a tightening that may be undone. */
export const POLICY_WORDS = catalogue({
  waitsFor: (missing: number, isFirst: boolean) =>
    `A looser policy waits for ${formatCount(missing, isFirst ? 'person' : 'more person', isFirst ? 'people' : 'more people')}`,
  meanwhile: 'Until then the stricter one applies.',
  loosens: 'What it loosens',
  fields: 'What the policy loosens',
  field: 'Field',
  inForce: 'In force',
  asked: 'Requested',
  tighteningUndo: (by: string) =>
    `${by} made the policy stricter, and may take that back by applying the former one, unless someone decides under it first:`,
  left: 'left',
});
