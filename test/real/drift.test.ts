import { defineDriftHouse } from '../house/drift-house';

defineDriftHouse('real');
