/** The browser that tests and pictures are made with. */
export const chromiumPath = (): string => process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Payments that the long form of the console's list is tried with. */
export const millionOf = (): number => Number.parseInt(process.env['CONSOLE_PAYMENTS'] ?? '1000000', 10);

/** With `SHOTS=1` the tests of the checkout page take pictures, also those that the documentation shows. */
export const takesPictures = (): boolean => process.env['SHOTS'] === '1';
