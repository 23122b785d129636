import { defineConfig } from 'vitest/config';

// One project per suite of tools/verify/suites.ts: a suite starts its world once, for all its files.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages,services,sdk}/*/src/**/*.test.ts',
            'sandbox/src/**/*.test.ts',
            'tools/**/*.test.ts',
            'tests/chaos/{checker,cluster,soak}/*.test.ts',
          ],
          exclude: ['packages/postgres/**', 'packages/engine/**', '**/*.{http,chain,process,postgres}.test.ts'],
        },
      },
      {
        test: {
          name: 'postgres',
          include: [
            'packages/postgres/src/**/*.test.ts',
            'sdk/*/src/**/*.postgres.test.ts',
            'tests/simulation/store/*.postgres.test.ts',
          ],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'api',
          // Each file has its own database and server; what they share is only the code, which takes longest to load.
          isolate: false,
          include: ['services/api/src/**/*.http.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'operator',
          include: ['services/operator/src/**/*.process.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'webhooks',
          include: ['services/webhooks/src/**/*.{http,process}.test.ts', 'tests/chaos/webhooks/*.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'contracts-deploy',
          include: ['packages/evm/src/**/*.chain.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'solana',
          include: ['packages/solana/src/**/*.{chain,postgres}.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      { test: { name: 'engine', include: ['packages/engine/src/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts', 'services/settlement/src/**/*.process.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          // Each file brings up a whole world; two at once would only slow each other.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts', 'tests/browser/install-chromium.ts'],
          // One browser at a time: two would only slow each other.
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/settlement/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['sandbox/src/**/*.process.test.ts'],
          globalSetup: ['tests/browser/install-chromium.ts'],
          testTimeout: 150_000,
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['tests/simulation/*.test.ts'],
          exclude: ['**/*.postgres.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'drill',
          include: ['tests/chaos/{restore,upgrade}/*.test.ts'],
          fileParallelism: false,
          testTimeout: 240_000,
        },
      },
      { test: { name: 'house', include: ['tests/house/**/*.test.ts'], testTimeout: 30_000 } },
    ],
  },
});
