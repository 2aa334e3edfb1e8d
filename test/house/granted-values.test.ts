import { defineGrantedValues } from './granted-values-house';

defineGrantedValues('embedded');
