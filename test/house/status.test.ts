import { defineStatusHouse } from './status-house';

defineStatusHouse('embedded');
