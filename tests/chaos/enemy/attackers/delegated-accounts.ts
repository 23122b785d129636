import { setTimeout as sleep } from 'node:timers/promises';
import { concat, type Hex } from 'viem';
import { setBalanceCall } from '../../../mock-balances.ts';
import { type AskChain, createAskChain } from '../../checker/ask-chain.ts';
import { type Attacker, itemAt } from '../attacker.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

const BURNS_GAS: Hex = '0x5b600056';
const BURNER = `0x${'b0'.repeat(20)}` as const;
/** EIP-7702: the account runs the code at the address behind the prefix. */
const DELEGATED = concat(['0xef0100', BURNER]);
/** After the simulation, before the block: blocks are a second apart. */
const DELAYS_MS = [100, 250, 400, 550];

/** A payer by key whose account is delegated to code that burns gas, once the payment is on its way. */
export const delegatedAccounts: Attacker<AskChain> = {
  name: 'delegated accounts',
  finding: 'A4',
  perSecond: 4,
  addresses: 4,
  prepare: async ({ rpcUrl }) => {
    const askChain = createAskChain(rpcUrl);
    await askChain([['anvil_setCode', [BURNER, BURNS_GAS]]]);
    return askChain;
  },
  strike: async (blow, askChain) => {
    const { ground, index } = blow;
    const payer = payerNamed(ground.seed, `delegated ${index}`);
    await askChain([setBalanceCall(ground.token, payer.address, BigInt(ground.priceAtomic))]);
    const shop = itemAt(ground.shops, index);
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    const settling = settleHostile(blow, shop, intent, await signPayment(payer, intent.acceptance));
    await sleep(itemAt(DELAYS_MS, index));
    await askChain([['anvil_setCode', [payer.address, DELEGATED]]]);
    await settling;
  },
};
