import { defineConfig } from 'vitest/config';

// Vitest leaves one core to itself, which is half of a machine with two. Projects whose files share nothing use all.
const EVERY_CORE = '100%';
/** Long forms: `npm run verify -- --long` runs them, one at a time. */
const LONG = '{tests,sdk/*/src}/**/*.long.test.ts';

// One project per suite of tools/verify/suites.ts: a suite starts its world once, for all its files.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages,packages/chains,services,sdk}/*/src/**/*.test.ts',
            '{cli,sandbox}/src/**/*.test.ts',
            'services/console/{build,web}/**/*.test.ts',
            '{tools,contracts/solana}/**/*.test.ts',
            'tests/chaos/{burner,checker,cluster,enemy,harness,soak}/*.test.ts',
            'tests/{bench,bench/*,deploy}/*.test.ts',
          ],
          exclude: [
            LONG,
            'packages/postgres/**',
            'packages/engine/**',
            '**/*.{http,chain,process,postgres}.test.ts',
            'tests/chaos/enemy/*-chaos.test.ts',
          ],
          // Loading the modules again for each file takes longer than the tests.
          isolate: false,
          maxWorkers: EVERY_CORE,
          // Property tests try ten thousand inputs; on a busy machine that takes several times as long.
          testTimeout: 30_000,
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
          // Each file has its own database.
          isolate: false,
          maxWorkers: EVERY_CORE,
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'api',
          // Each file has its own database and server; what they share is only the code, which takes longest to load.
          isolate: false,
          maxWorkers: EVERY_CORE,
          include: ['services/{api,admin,console}/src/**/*.http.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'cli',
          maxWorkers: EVERY_CORE,
          include: ['cli/src/**/*.process.test.ts', 'sandbox/src/local/*.process.test.ts'],
          globalSetup: [
            'packages/postgres/src/testing/global-setup.ts',
            'packages/chains/icp/src/testing/compile-ledger.ts',
          ],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'webhooks',
          maxWorkers: EVERY_CORE,
          include: ['services/webhooks/src/**/*.{http,process}.test.ts', 'tests/chaos/webhooks/*.test.ts'],
          exclude: [LONG],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts', 'tests/e2e/warm-compile-cache.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'contracts-deploy',
          include: ['packages/chains/evm/src/**/*.chain.test.ts'],
          maxWorkers: EVERY_CORE,
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'solana',
          include: ['packages/chains/solana/src/**/*.{chain,postgres}.test.ts'],
          maxWorkers: EVERY_CORE,
          globalSetup: ['packages/postgres/src/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'icp',
          include: [
            'packages/chains/icp/src/**/*.{chain,postgres}.test.ts',
            '{sdk/browser/src/icp,sandbox/src/wallet}/*.chain.test.ts',
          ],
          maxWorkers: EVERY_CORE,
          // The compiler makes the canisters once; every later run finds them in .cache.
          globalSetup: [
            'packages/postgres/src/testing/global-setup.ts',
            'packages/chains/icp/src/testing/global-setup.ts',
          ],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'engine',
          include: ['packages/engine/src/**/*.test.ts'],
          maxWorkers: EVERY_CORE,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts', 'services/settlement/src/**/*.process.test.ts'],
          exclude: [LONG],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts', 'tests/e2e/warm-compile-cache.ts'],
          // Each file brings up a whole world, which waits for blocks and polls most of the time.
          maxWorkers: EVERY_CORE,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'interop',
          include: ['tests/interop/*.test.ts'],
          globalSetup: ['packages/postgres/src/testing/global-setup.ts', 'tests/e2e/warm-compile-cache.ts'],
          maxWorkers: EVERY_CORE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          exclude: [LONG],
          globalSetup: [
            'packages/postgres/src/testing/global-setup.ts',
            'tests/browser/install-chromium.ts',
            'tests/browser/build-console-page.ts',
          ],
          maxWorkers: EVERY_CORE,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/{settlement,icp}/*.test.ts', 'tests/chaos/enemy/*-chaos.test.ts'],
          exclude: [LONG],
          globalSetup: ['tests/e2e/warm-compile-cache.ts'],
          fileParallelism: false,
          // Below the suite's own limit, so that the log says which test it was. A run that stands still ends before.
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['sandbox/src/*.process.test.ts'],
          globalSetup: ['tests/browser/install-chromium.ts', 'packages/chains/icp/src/testing/compile-ledger.ts'],
          testTimeout: 240_000,
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
          exclude: [LONG],
          globalSetup: ['tests/e2e/warm-compile-cache.ts'],
          maxWorkers: EVERY_CORE,
          testTimeout: 480_000,
        },
      },
      {
        test: {
          name: 'long',
          include: [LONG],
          globalSetup: [
            'packages/postgres/src/testing/global-setup.ts',
            'tests/e2e/warm-compile-cache.ts',
            'tests/browser/install-chromium.ts',
            'tests/browser/build-console-page.ts',
          ],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'house', include: ['tests/house/**/*.test.ts'], exclude: [LONG], testTimeout: 30_000 } },
    ],
  },
});
