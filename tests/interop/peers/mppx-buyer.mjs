// A buyer of the Machine Payments Protocol.
import { Mppx } from 'mppx/client';
import { evm } from 'mppx/evm/client';
import { privateKeyToAccount } from 'viem/accounts';
import { serveCommands, settings } from './serve-commands.mjs';

const account = privateKeyToAccount(settings.privateKey);
const charge = evm.charge({ account, networks: [84_532], authorization: { name: 'USDC', version: '2' } });
const client = Mppx.create({ methods: [charge], polyfill: false });

serveCommands({
  fetch: async ({ url }) => {
    const response = await client.fetch(url);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  },
});
