import { defineFilledListsHouse } from './filled-lists-house';

defineFilledListsHouse('embedded');
