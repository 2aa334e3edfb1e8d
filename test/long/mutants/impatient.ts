import { configure } from '@testing-library/react';

// What a change keeps from coming is awaited for each test that notices it: here long enough is seconds, not the half minute of a slow machine.
configure({ asyncUtilTimeout: 3000 });
