import type { PatchType } from '@/server/kube';
import type { WriteFlags } from './context';
import type { FieldError } from './failures';
import { forbiddenField, invalidOptions, invalidValue, required } from './failures';

const LONGEST_MANAGER = 128;
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Refuses options of a write that it may not have. */
export function checkWriteFlags(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  { fieldManager, force }: WriteFlags,
  patch?: PatchType,
): void {
  const errors: FieldError[] = [];
  if (patch === 'apply' && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (patch !== undefined && patch !== 'apply' && force !== undefined)
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  if (Buffer.byteLength(fieldManager) > LONGEST_MANAGER) {
    errors.push({ reason: 'FieldValueTooLong', field: 'fieldManager', message: `Too long: may not be more than ${LONGEST_MANAGER} bytes` });
  }
  const at = fieldManager.search(NOT_PRINTABLE);
  if (at >= 0) {
    const code = (fieldManager.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    errors.push(
      invalidValue(
        'fieldManager',
        fieldManager,
        `invalid character U+${code} (at position ${Buffer.byteLength(fieldManager.slice(0, at))})`,
      ),
    );
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
}
