import { defineConfig } from 'vitest/config';

const shared = { environment: 'node' as const, pool: 'forks' as const, testTimeout: 90_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/e2e/host/**'], maxWorkers: 2 } },
      // A real terminal beside other work: what fails once is tried once more, and both are printed.
      { test: { ...shared, name: 'e2e', include: ['test/e2e/host/**/*.test.ts'], globalSetup: ['test/support/build-plugin.ts'], testTimeout: 180_000, maxWorkers: 2, retry: 1 } },
    ],
  },
});
