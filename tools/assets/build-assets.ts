// The scripts that the API serves to browsers. They are committed, so that the API starts without a bundler; a test holds them to
// their sources.
import { rolldown } from 'rolldown';

export const ASSET_FOLDER = 'services/api/assets/generated';

const ENTRIES: Readonly<Record<string, string>> = {
  'svc-pay-button': 'sdk/pay-button/src/index.ts',
  checkout: 'services/api/page/checkout.ts',
};

/** File name → code. */
export async function buildAssets(): Promise<ReadonlyMap<string, string>> {
  const built = await Promise.all(
    Object.entries(ENTRIES).map(async ([name, input]) => {
      const bundle = await rolldown({
        input,
        platform: 'browser',
        // An import that can't be resolved would only be a warning.
        onLog: (_, log) => {
          throw new Error(log.message);
        },
      });
      const { output } = await bundle.generate({ format: 'esm', minify: true });
      await bundle.close();
      return [`${name}.js`, output[0].code] as const;
    }),
  );
  return new Map(built);
}
