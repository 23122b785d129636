import { setBalanceCall } from '../../../mock-balances.ts';
import { BURNER_KINDS, burnerOf, FORGED_SIGNATURE } from '../../burner/burner-wallets.ts';
import { type AskChain, createAskChain } from '../../checker/ask-chain.ts';
import { type Attacker, itemAt } from '../attacker.ts';
import { openIntent, settleHostile } from '../hostile-payment.ts';
import { payerNamed, signPayment } from '../sign-payment.ts';

/** A fresh contract wallet for every payment, with code of its own: yes to the simulation, and in the block all gas is gone. */
export const burnerWallets: Attacker<AskChain> = {
  name: 'burner wallets',
  finding: 'A1, A1b, A1c',
  perSecond: 6,
  addresses: 20,
  prepare: async ({ rpcUrl }) => createAskChain(rpcUrl),
  strike: async (blow, askChain) => {
    const { ground, index } = blow;
    const { address, code } = burnerOf(ground.seed, index, itemAt(BURNER_KINDS, index));
    const held = BigInt(ground.priceAtomic);
    await askChain([['anvil_setCode', [address, code]], setBalanceCall(ground.token, address, held)]);
    // Each kind of wallet at every shop.
    const shop = itemAt(ground.shops, Math.floor(index / BURNER_KINDS.length));
    const intent = await openIntent(blow, shop, { usdAmount: ground.priceUsd });
    if (intent === undefined) return;
    const { signer } = payerNamed(ground.seed, 'nobody');
    const signed = await signPayment({ address, signer }, intent.acceptance, { signature: FORGED_SIGNATURE });
    await settleHostile(blow, shop, intent, signed);
  },
};
