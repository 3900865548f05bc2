// What is tested: asks up to three times. It has no tool of its own: who runs it brings one.
import { retry } from 'steptree';

export const stubborn = (ask) =>
  retry({ max: 3, backoff: { base: 100, factor: 2, jitter: 0 } }, ask).timeout(5000);
