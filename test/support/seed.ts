import fc from 'fast-check';

// One seed for everybody, so that a change fails for what it changed; SLIPWAY_SEED=<number> looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.SLIPWAY_SEED ?? 20_261_121) });
