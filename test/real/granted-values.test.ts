import { defineGrantedValues } from '../house/granted-values-house';

defineGrantedValues('real');
