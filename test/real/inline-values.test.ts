import { defineInlineValues } from '../attacks/define-inline-values';

defineInlineValues('real');
