import { defineFilledListsHouse } from '../house/filled-lists-house';

defineFilledListsHouse('real');
