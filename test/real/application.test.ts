import { defineApplicationHouse } from '../house/application-house';

defineApplicationHouse('real');
