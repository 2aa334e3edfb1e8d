import { defineApplicationHouse } from './application-house';

defineApplicationHouse('embedded');
