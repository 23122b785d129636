// Asks for something, is told what it costs, looks at the price, signs, and pays. Made from the interface alone: fetch, a
// private key, and EIP-712.
import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';

const { BASE_URL, PAYER_KEY, TOKEN, MAX_AMOUNT } = process.env;
const payer = privateKeyToAccount(PAYER_KEY);

const asked = await fetch(process.argv[2], { method: 'POST' });
const { accepts = [], clientSecret, ...told } = await asked.json();
if (asked.status !== 402) throw new Error(`no price, but ${asked.status}: ${JSON.stringify(told)}`);
const acceptance = accepts.find(isWithinReason);
if (acceptance === undefined) throw new Error('nothing on offer is within what this agent may spend');

const { paymentIntentId } = told;
const paid = { paymentIntentId, paymentHeader: await signedHeader(acceptance), paymentRequirements: acceptance };
console.log(JSON.stringify({ ...told, ...(await (acceptance.scheme === 'upto' ? authorize(paid) : pay(paid))) }));

/** These four are what a signature gives away: which token, how much of it, on which chain, and whom it is signed for. */
function isWithinReason({ scheme, network, asset, payTo, maxAmountRequired, extra }) {
  return (
    ['exact', 'upto'].includes(scheme) &&
    /^(eip155:)?\d+$/.test(network) &&
    asset?.toLowerCase() === TOKEN.toLowerCase() &&
    payTo.toLowerCase() !== asset.toLowerCase() &&
    BigInt(maxAmountRequired) <= BigInt(MAX_AMOUNT) &&
    extra.primaryType !== 'Permit'
  );
}

async function signedHeader({ scheme, network, asset, payTo, maxAmountRequired, maxTimeoutSeconds = 300, extra }) {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const authorization = {
    from: payer.address,
    to: payTo,
    value: maxAmountRequired,
    validAfter: String(nowSeconds - 86_400),
    validBefore: String(nowSeconds + maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const signature = await payer.signTypedData({
    domain: {
      name: extra.name,
      version: extra.eip3009Version,
      chainId: Number(network.replace('eip155:', '')),
      verifyingContract: asset,
    },
    primaryType: 'TransferWithAuthorization',
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: authorization,
  });
  const header = { x402Version: 1, scheme, network, payload: { authorization, signature } };
  return Buffer.from(JSON.stringify(header)).toString('base64');
}

/** Until it is over: `processing` is neither success nor failure. */
async function pay(call) {
  for (let times = 0; times < 60; times += 1) {
    const { status, transactionId, error } = await post('/sdk/public/payments/x402/settle', call);
    if (status === 'failed') throw new Error(error);
    if (status !== 'processing') return { status, transactionId };
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error('still processing after a minute; the same header can be sent again');
}

async function authorize(call) {
  const { ok, error, expiresAt } = await post('/sdk/public/payments/intents/x402/upto/confirm', call);
  if (!ok) throw new Error(error);
  return { status: 'authorized', cap: call.paymentRequirements.maxAmountRequired, expiresAt };
}

/** Again after a lost answer, with the same header: it is claimed once and charged once. */
async function post(path, body) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(BASE_URL + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${clientSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      if (response.status < 500) return await response.json();
      throw new Error(`the service answered ${response.status}`);
    } catch (problem) {
      if (attempt === 3) throw problem;
    }
  }
}
