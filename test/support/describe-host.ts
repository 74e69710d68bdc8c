// Groups of tests that need the real host: skipped by name, with the reason, where it cannot run. REQUIRE_HOST=1 (the CI
// script sets it) makes them fail instead.
import { describe, test } from 'vitest';
import { hostAvailable } from './host-install.ts';

/** Like `describe`, for tests that drive the real host. */
export const describeHost = (name: string, tests: () => void): void => {
  const available = hostAvailable();
  if (available.ok) {
    describe(name, tests);
    return;
  }
  if (process.env['REQUIRE_HOST'] === '1') {
    test(name, () => {
      throw new Error(`the real host cannot run here: ${available.because}`);
    });
    return;
  }
  describe.skip(`${name} (skipped: ${available.because})`, tests);
};
