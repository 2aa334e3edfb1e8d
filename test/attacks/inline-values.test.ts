import { defineInlineValues } from './define-inline-values';

defineInlineValues('embedded');
