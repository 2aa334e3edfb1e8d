import { FrameworkError } from '../../errors';
import type { Resource } from '../resource';

/** A resource around another one. */
export interface Wrapper<TObject> extends Resource<TObject> {
  wrapped(): Resource<TObject>;
}

const DEEPEST = 1000;

function isWrapper<TObject>(resource: Resource<TObject>): resource is Wrapper<TObject> {
  return typeof (resource as Partial<Wrapper<TObject>>).wrapped === 'function';
}

/** The innermost resource of a chain of wrappers. */
export function unwrap<TObject>(resource: Resource<TObject>): Resource<TObject> {
  let at = resource;
  for (let depth = 0; isWrapper(at); depth++) {
    if (depth >= DEEPEST)
      throw new FrameworkError('loopDetected', `${resource.name} is wrapped more than ${DEEPEST} times`, { origin: 'wrapper' });
    at = at.wrapped();
  }
  return at;
}
