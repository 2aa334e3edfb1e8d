import { defineDriftHouse } from './drift-house';

defineDriftHouse('embedded');
